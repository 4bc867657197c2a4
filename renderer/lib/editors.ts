import { readStored, writeStored } from './stored.ts';

/** Editors with a URL scheme that opens a file: `vscode://file/…`. */
export const EDITORS = [
  { scheme: 'vscode', name: 'VS Code' },
  { scheme: 'cursor', name: 'Cursor' },
  { scheme: 'zed', name: 'Zed' },
] as const;

const CHOSEN = 'editor';

/** The editor that was chosen last in this browser. */
export function chosenEditor(): string {
  const stored = readStored<string>(CHOSEN, 'vscode');
  return EDITORS.find(({ scheme }) => scheme === stored)?.scheme ?? 'vscode';
}

export function keepEditor(scheme: string): void {
  writeStored(CHOSEN, scheme);
}

export interface EditorFile {
  path: string;
  line: number | null;
}

/** The URL that opens a file at a line in an editor. */
export function editorLink(scheme: string, { path, line }: EditorFile): string {
  const parts = path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return `${scheme}://file${parts.startsWith('/') ? '' : '/'}${parts}${line === null ? '' : `:${line}`}`;
}
