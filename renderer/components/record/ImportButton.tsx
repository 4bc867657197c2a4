import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { RecordImport } from '../../api/records/file-import.ts';

const ImportDialog = lazy(async () => ({ default: (await import('./ImportDialog.tsx')).ImportDialog }));

export interface ImportButtonProps {
  /** Of the connection that gets the records. */
  imports: RecordImport;
  /** Where the records go; without it the dialog asks for a model, with these suggestions. */
  into: { model: string; variant: string } | { models: readonly string[] };
  /** After records were imported. */
  onDone?: (model: string) => void;
}

/** Records of a file into a model: an icon in a toolbar, or a button with words. */
export function ImportButton({ isIcon = false, ...props }: ImportButtonProps & { isIcon?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { run, trial } = props.imports;
  const open = (): void => {
    trial.reset();
    run.reset();
    setOpen(true);
  };
  return (
    <>
      {isIcon ? (
        <Tooltip label="Import records from a file">
          <ActionIcon aria-label="Import" size={28} onClick={open}>
            <IconUpload size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ) : (
        <Button variant="default" leftSection={<IconUpload size={16} stroke={1.6} aria-hidden />} onClick={open}>
          Import records
        </Button>
      )}
      {isOpen && (
        <Suspense>
          <ImportDialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
