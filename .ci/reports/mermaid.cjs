// Reads flowcharts with Mermaid's own parser, and checks that it finds as many shapes, arrows and boxes as their lines have.
//
//     mermaid.cjs PARSER FILE...

const [parser, ...files] = process.argv.slice(2)
const parse = require(parser)
const text = (file) => require('fs').readFileSync(file, 'utf8')
const main = async () => {
  for (const file of files) {
    const source = text(file)
    const { graph_type, graph_data } = JSON.parse(await parse(source))
    const count = (pattern) => (source.match(pattern) || []).length
    const counts = [Object.keys(graph_data.vertices).length, graph_data.edges.length, graph_data.subGraphs.length]
    const expected = [count(/^  n\d+[[({]/gm), count(/^  n\d+ -/gm), count(/^  subgraph /gm)]
    if (graph_type !== 'flowchart-v2' || String(counts) !== String(expected)) {
      throw new Error(`Mermaid reads ${counts} shapes, arrows and boxes of ${file}, which has ${expected}`)
    }
  }
  console.log(`Mermaid: ${files.length} flowcharts are read`)
}
main().catch((error) => {
  console.error(String(error).slice(0, 1000))
  process.exit(1)
})
