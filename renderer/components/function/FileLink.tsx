import { Anchor } from '@mantine/core';
import type { MouseEvent } from 'react';
import { chosenEditor, type EditorFile, editorLink } from '../../lib/editors.ts';
import { notifyError } from '../notice/notify.ts';

/** Opens a file in the desktop app; undefined in a browser, where the link is an address of the editor. */
export type UseEditorOpener = () => ((file: EditorFile) => Promise<void>) | undefined;

interface FileLinkProps {
  file: EditorFile;
  /** Path below the functions folder. */
  name: string;
  useOpener: UseEditorOpener;
}

/** A file name; a click opens the file in the editor without opening the row. */
export function FileLink({ file, name, useOpener }: FileLinkProps) {
  const open = useOpener();
  const onClick = (event: MouseEvent): void => {
    event.stopPropagation();
    if (!open) return;
    event.preventDefault();
    open(file).catch(notifyError);
  };
  return (
    <Anchor
      className="cut"
      href={editorLink(chosenEditor(), file)}
      title={`Open ${file.path} in the editor`}
      onClick={onClick}
    >
      <code>{name}</code>
    </Anchor>
  );
}
