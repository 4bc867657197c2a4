/** One command of the keyboard; the shown screen supplies `run`. */
export interface KeyMeaning {
  id: string;
  /** In the form of `chordOf`; two chords with a space between them are pressed one after the other. */
  keys: readonly string[];
  label: string;
  group: 'Everywhere' | 'Go to' | 'List' | 'This page';
  /** Works also while the person types. */
  inFields?: true;
  /** Not listed in the palette: it moves or closes something. */
  isMove?: true;
}

/** The keyboard map (ui.md 14). Screens and environments add their own commands in the same form. */
export const KEY_MAP = {
  palette: { id: 'palette', keys: ['mod+k'], label: 'Search or run a command', group: 'Everywhere', inFields: true },
  help: { id: 'help', keys: ['?'], label: 'Keyboard shortcuts', group: 'Everywhere' },
  theme: { id: 'theme', keys: ['mod+d'], label: 'Light or dark theme', group: 'Everywhere', inFields: true },
  sidebar: { id: 'sidebar', keys: ['['], label: 'Narrow or widen the sidebar', group: 'Everywhere' },
  vault: {
    id: 'vault',
    keys: ['mod+shift+l'],
    label: 'Lock or unlock the vault',
    group: 'Everywhere',
    inFields: true,
  },
  back: { id: 'back', keys: ['mod+['], label: 'Back', group: 'Everywhere', inFields: true },
  forward: { id: 'forward', keys: ['mod+]'], label: 'Forward', group: 'Everywhere', inFields: true },
  refresh: { id: 'refresh', keys: ['r', 'mod+r'], label: 'Reload the data', group: 'Everywhere' },
  find: { id: 'find', keys: ['mod+f'], label: 'Find on this page', group: 'Everywhere', inFields: true },
  close: { id: 'close', keys: ['escape'], label: 'Close what is on top', group: 'Everywhere', isMove: true },

  search: { id: 'search', keys: ['/'], label: 'Search this list', group: 'List' },
  next: { id: 'next', keys: ['j', 'arrowdown'], label: 'Next row', group: 'List', isMove: true },
  previous: { id: 'previous', keys: ['k', 'arrowup'], label: 'Previous row', group: 'List', isMove: true },
  pageDown: { id: 'pageDown', keys: ['pagedown'], label: 'A page down', group: 'List', isMove: true },
  pageUp: { id: 'pageUp', keys: ['pageup'], label: 'A page up', group: 'List', isMove: true },
  first: { id: 'first', keys: ['home'], label: 'First row', group: 'List', isMove: true },
  last: { id: 'last', keys: ['end'], label: 'Last row', group: 'List', isMove: true },
  left: { id: 'left', keys: ['arrowleft'], label: 'Column to the left', group: 'List', isMove: true },
  right: { id: 'right', keys: ['arrowright'], label: 'Column to the right', group: 'List', isMove: true },
  open: { id: 'open', keys: ['enter'], label: 'Open the row; in the head, sort', group: 'List', isMove: true },
  openPage: { id: 'openPage', keys: ['shift+enter'], label: 'Open the row as a page', group: 'List', isMove: true },
  openWindow: { id: 'openWindow', keys: ['mod+enter'], label: 'Open in a new window', group: 'List', isMove: true },
  peek: { id: 'peek', keys: ['space'], label: 'Preview the row', group: 'List', isMove: true },
  rowMenu: { id: 'rowMenu', keys: ['shift+f10', 'contextmenu'], label: 'Menu of the row', group: 'List', isMove: true },
  select: { id: 'select', keys: ['x', 'shift+space'], label: 'Select the row', group: 'List', isMove: true },
  selectDown: { id: 'selectDown', keys: ['shift+arrowdown'], label: 'Select downwards', group: 'List', isMove: true },
  selectUp: { id: 'selectUp', keys: ['shift+arrowup'], label: 'Select upwards', group: 'List', isMove: true },
  selectAll: { id: 'selectAll', keys: ['mod+a'], label: 'Select all rows that are loaded', group: 'List' },
  copyId: { id: 'copyId', keys: ['c'], label: 'Copy the ID of the row', group: 'List' },
  copyLink: { id: 'copyLink', keys: ['shift+c'], label: 'Copy a link to the row', group: 'List' },
  tag: { id: 'tag', keys: ['t'], label: 'Add a tag to the row', group: 'List' },
  group: { id: 'group', keys: ['shift+g'], label: 'Group by integration, by status, or not', group: 'List' },
  filter: { id: 'filter', keys: ['f'], label: 'Filter by the value of the cell', group: 'List' },
  /** On lists with a query language; on all others the key selects. */
  exclude: { id: 'exclude', keys: ['x'], label: 'Leave out the value of the cell', group: 'List' },
  narrower: {
    id: 'narrower',
    keys: ['shift+arrowleft'],
    label: 'Narrow the column, from its head',
    group: 'List',
    isMove: true,
  },
  wider: {
    id: 'wider',
    keys: ['shift+arrowright'],
    label: 'Widen the column, from its head',
    group: 'List',
    isMove: true,
  },

  create: { id: 'create', keys: ['n'], label: 'New', group: 'This page' },
  edit: { id: 'edit', keys: ['e'], label: 'Edit the part with the focus, or the first', group: 'This page' },
  save: { id: 'save', keys: ['mod+s'], label: 'Save the form', group: 'This page', inFields: true },
  run: { id: 'run', keys: ['mod+enter'], label: 'Run, in the playground', group: 'This page', inFields: true },
  undo: { id: 'undo', keys: ['mod+z'], label: 'Undo what the notice says', group: 'This page' },
  cancelRun: { id: 'cancelRun', keys: ['mod+.'], label: 'Cancel the run', group: 'This page', inFields: true },
  earlier: { id: 'earlier', keys: [','], label: 'Earlier window of time', group: 'This page' },
  later: { id: 'later', keys: ['.'], label: 'Later window of time', group: 'This page' },
  live: { id: 'live', keys: ['l'], label: 'Live or paused', group: 'This page' },
} as const satisfies Record<string, KeyMeaning>;
