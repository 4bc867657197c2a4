import { IconFileImport } from '@tabler/icons-react';
import { useContext, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { DroppedFileContext } from '../components/form/dropped-file.ts';
import { notifyError } from '../components/notice/notify.ts';
import { paths } from '../lib/paths.ts';
import classes from './DropTarget.module.css';

/** Larger files are for the command line. */
const MAX_BYTES = 200 * 1_048_576;
/** How long the overlay names the recognised file before the import page opens. */
const SHOWN_MS = 700;

/** Takes files that are dropped anywhere on the window, but for fields and forms that take them themselves. */
export function DropTarget({ env }: { env: string }) {
  const navigate = useNavigate();
  const { put } = useContext(DroppedFileContext);
  const [shown, setShown] = useState<string>();
  const depth = useRef(0);
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
      take(dropped).catch((error: unknown) => {
        setShown(undefined);
        notifyError(error);
      });
    };
    const take = async (dropped: File): Promise<void> => {
      if (dropped.size > MAX_BYTES) {
        setShown(undefined);
        return notifyError({
          message: 'The file is larger than 200 MB. Import it with the command line.',
          code: 'too_large',
        });
      }
      const { KIND_LABELS, readRecognised } = await import('../lib/recognised-file.ts');
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
  if (shown === undefined) return null;
  return (
    <div className={`centred ${classes['overlay']}`} role="status">
      <div className={`stack gap-6 breaks middle ${classes['card']}`}>
        <IconFileImport size={28} stroke={1.4} aria-hidden />
        <p className="name">{shown}</p>
        <p className="soft">Exports, lists of connections, provider entries and .env files</p>
      </div>
    </div>
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
