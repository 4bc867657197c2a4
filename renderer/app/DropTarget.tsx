import { IconFileImport } from '@tabler/icons-react';
import { type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { type DroppedFile, DroppedFileContext } from '../components/dropped-file.ts';
import { notifyError } from '../components/notify.ts';
import { useCommands } from '../components/use-commands.ts';
import { paths } from '../lib/paths.ts';
import { KIND_LABELS, type RecognisedFile, readRecognised } from '../lib/recognised-file.ts';
import classes from './DropTarget.module.css';

/** Larger files are for the command line. */
const MAX_BYTES = 200 * 1_048_576;
/** How long the overlay names the recognised file before the import page opens. */
const SHOWN_MS = 700;

/** Keeps a dropped file until the import page opens, also when another part of the app shows that page. */
export function DroppedFiles({ children }: { children: ReactNode }) {
  const [file, setFile] = useState<RecognisedFile>();
  const value = useMemo((): DroppedFile => ({ file, put: setFile }), [file]);
  return <DroppedFileContext value={value}>{children}</DroppedFileContext>;
}

/** Takes files that are dropped anywhere on the window, but for fields and forms that take them themselves. */
export function DropTarget({ env, children }: { env: string; children: ReactNode }) {
  const navigate = useNavigate();
  const { put } = useContext(DroppedFileContext);
  const [shown, setShown] = useState<string>();
  const depth = useRef(0);
  useCommands([
    { id: 'import', keys: ['g t'], label: 'Import', group: 'Go to', run: () => void navigate(paths.import(env)) },
    { id: 'export', keys: ['g e'], label: 'Export', group: 'Go to', run: () => void navigate(paths.export(env)) },
  ]);
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth.current += 1;
      setShown(typeOf(event));
    };
    const leave = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth.current -= 1;
      if (depth.current <= 0) setShown(undefined);
    };
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      depth.current = 0;
      const isTaken = event.defaultPrevented;
      const dropped = event.dataTransfer?.files[0];
      if (!dropped || isTaken) return setShown(undefined);
      event.preventDefault();
      void take(dropped);
    };
    const take = async (dropped: File): Promise<void> => {
      if (dropped.size > MAX_BYTES) {
        setShown(undefined);
        return notifyError({
          message: 'The file is larger than 200 MB. Import it with the command line.',
          code: 'too_large',
        });
      }
      const found = await readRecognised(dropped);
      setShown(`${KIND_LABELS[found.kind]}: ${found.name}`);
      setTimeout(() => setShown(undefined), SHOWN_MS);
      put(found);
      void navigate(paths.import(env));
    };
    // Registered last, so that a form that takes the file has already marked the event as handled.
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, [env, navigate, put]);
  return (
    <>
      {children}
      {shown !== undefined && (
        <div className={classes['overlay']} role="status">
          <div className={classes['card']}>
            <IconFileImport size={28} stroke={1.4} aria-hidden />
            <p className="name">{shown}</p>
            <p className="soft">Exports, lists of connections, provider entries and .env files</p>
          </div>
        </div>
      )}
    </>
  );
}

/** Before the drop, browsers reveal only the media type. */
function typeOf(event: DragEvent): string {
  const type = event.dataTransfer?.items[0]?.type ?? '';
  if (type.includes('json')) return 'Drop the JSON file to see what is in it';
  if (type.includes('csv')) return 'Drop the list of connections';
  if (type.includes('yaml')) return 'Drop the provider entries';
  return 'Drop the file to see what is in it';
}
