/** Editors that open a file by an address of their own: `vscode://file/…`. */
export const EDITORS = [
  { scheme: 'vscode', name: 'VS Code' },
  { scheme: 'cursor', name: 'Cursor' },
  { scheme: 'zed', name: 'Zed' },
] as const;
