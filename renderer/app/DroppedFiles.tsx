import { type ReactNode, useMemo, useState } from 'react';
import { type DroppedFile, DroppedFileContext } from '../components/form/dropped-file.ts';
import type { RecognisedFile } from '../lib/recognised-file.ts';

/** Keeps a dropped file until the import page opens, also when another part of the app shows that page. */
export function DroppedFiles({ children }: { children: ReactNode }) {
  const [file, setFile] = useState<RecognisedFile>();
  const value = useMemo((): DroppedFile => ({ file, put: setFile }), [file]);
  return <DroppedFileContext value={value}>{children}</DroppedFileContext>;
}
