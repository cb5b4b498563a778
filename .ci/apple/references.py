"""What sources refer to, by the index that the compiler writes beside its modules: read through the toolchain's libIndexStore."""
import ctypes, pathlib, shutil

DECLARATION, DEFINITION, REFERENCE = 1, 2, 4


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode()


def library():
    """The library of the toolchain that has the compiler."""
    compiler = pathlib.Path(shutil.which("swiftc")).resolve()
    found = ctypes.CDLL(str(compiler.parent.parent / "lib" / "libIndexStore.so"))
    for name in ("store_create", "unit_reader_create", "record_reader_create", "occurrence_get_symbol"):
        getattr(found, "indexstore_" + name).restype = ctypes.c_void_p
    for name in ("unit_reader_get_main_file", "unit_dependency_get_name", "symbol_get_usr", "symbol_get_name"):
        getattr(found, "indexstore_" + name).restype = Text
    found.indexstore_occurrence_get_roles.restype = ctypes.c_uint64
    return found


def references(store, sources):
    """Every reference as (file, line, USR, name), and the USRs of what is declared by the files themselves."""
    index = library()
    callback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
    named = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, Text)
    handle = ctypes.c_void_p(index.indexstore_store_create(str(store).encode(), None))
    units, found, declared = [], set(), set()

    def records_of(unit):
        reader = ctypes.c_void_p(index.indexstore_unit_reader_create(handle, unit.encode(), None))
        names = []

        def note(_, dependency):
            dependency = ctypes.c_void_p(dependency)
            if index.indexstore_unit_dependency_get_kind(dependency) == 2:
                names.append(str(index.indexstore_unit_dependency_get_name(dependency)))
            return True

        file = str(index.indexstore_unit_reader_get_main_file(reader))
        index.indexstore_unit_reader_dependencies_apply_f(reader, None, callback(note))
        index.indexstore_unit_reader_dispose(reader)
        return file, names

    def unit_found(_, name):
        units.append(str(name))
        return True

    index.indexstore_store_units_apply_f(handle, 0, None, named(unit_found))
    for unit in units:
        file, records = records_of(unit)
        for record in records:
            reader = ctypes.c_void_p(index.indexstore_record_reader_create(handle, record.encode(), None))

            def note(_, occurrence):
                occurrence = ctypes.c_void_p(occurrence)
                roles = index.indexstore_occurrence_get_roles(occurrence)
                symbol = ctypes.c_void_p(index.indexstore_occurrence_get_symbol(occurrence))
                if roles & (DECLARATION | DEFINITION) and file.startswith(sources):
                    declared.add(str(index.indexstore_symbol_get_usr(symbol)))
                if roles & REFERENCE and file.startswith(sources):
                    line, column = ctypes.c_uint(), ctypes.c_uint()
                    index.indexstore_occurrence_get_line_col(occurrence, ctypes.byref(line), ctypes.byref(column))
                    usr, name = index.indexstore_symbol_get_usr(symbol), index.indexstore_symbol_get_name(symbol)
                    found.add((file, line.value, str(usr), str(name)))
                return True

            index.indexstore_record_reader_occurrences_apply_f(reader, None, callback(note))
            index.indexstore_record_reader_dispose(reader)
    return found, declared
