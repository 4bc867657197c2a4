import { ActionIcon, Tooltip } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { StreamRef } from '../../api/records/records-queries.ts';

const ImportDialog = lazy(async () => ({ default: (await import('./ImportDialog.tsx')).ImportDialog }));

/** Beside the export: records of a file into this model. */
export function ImportButton(props: { connection: ConnectionRef; stream: StreamRef }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Tooltip label="Import records from a file">
        <ActionIcon aria-label="Import" size={28} onClick={() => setOpen(true)}>
          <IconUpload size={16} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {isOpen && (
        <Suspense>
          <ImportDialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
