/// The icons of states: each has its own shape, so that a reader doesn't need to see its color.
enum PageIcons {
  /// A hidden `<svg>` with a symbol for each state; its identifier ends in the state's raw value.
  static let text = """
    <svg width="0" height="0" class="hidden" aria-hidden="true">
    <symbol id="i-succeeded" viewBox="0 0 14 14"><circle class="disc" cx="7" cy="7" r="7"/>
    <path class="mark" d="M3.8 7.3 6.2 9.6 10.3 4.9"/></symbol>
    <symbol id="i-failed" viewBox="0 0 14 14"><path class="disc" d="M4.2 0h5.6L14 4.2v5.6L9.8 14H4.2L0 9.8V4.2Z"/>
    <path class="mark" d="M4.6 4.6 9.4 9.4M9.4 4.6 4.6 9.4"/></symbol>
    <symbol id="i-cancelled" viewBox="0 0 14 14"><path class="disc" d="M7 0 14 7 7 14 0 7Z"/>
    <path class="mark" d="M4.5 7h5"/></symbol>
    <symbol id="i-running" viewBox="0 0 14 14"><circle class="disc" cx="7" cy="7" r="7"/>
    <path class="fill" d="M5.4 3.9v6.2L10.4 7Z"/></symbol>
    <symbol id="i-waiting" viewBox="0 0 14 14"><circle class="ring" cx="7" cy="7" r="5.8"/>
    <path class="line" d="M7 3.8V7l2.2 1.6"/></symbol>
    <symbol id="i-skipped" viewBox="0 0 14 14"><circle class="ring" cx="7" cy="7" r="5.8"/>
    <path class="line" d="M4 7h5.6M7.4 4.6 9.8 7 7.4 9.4"/></symbol>
    <symbol id="i-neverRan" viewBox="0 0 14 14"><circle class="ring dashed" cx="7" cy="7" r="5.8"/></symbol>
    </svg>

    """
}
