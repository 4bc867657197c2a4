import { createContext } from 'react';
import type { RecognisedFile } from '../../lib/recognised-file.ts';

/** A file that was dropped on the window, until the import page takes it. */
export interface DroppedFile {
  file: RecognisedFile | undefined;
  /** Passes a file to the import page; undefined once it is taken. */
  put: (file: RecognisedFile | undefined) => void;
}

export const DroppedFileContext = createContext<DroppedFile>({ file: undefined, put: () => {} });
