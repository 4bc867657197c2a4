import { ActionIcon, Tooltip } from '@mantine/core';
import { IconFileExport } from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';

interface DraggableFileProps {
  /** The action of a click. */
  label: string;
  onClick: () => Promise<void>;
  /** Continues the drag as the drag of a file. */
  onDrag: () => Promise<void>;
}

/** A file that can be dragged out of the window; a click does the same without dragging (WCAG 2.5.7). */
export function DraggableFile({ label, onClick, onDrag }: DraggableFileProps) {
  const [isBusy, setBusy] = useState(false);
  const begin = (work: () => Promise<void>): void => {
    if (isBusy) return;
    setBusy(true);
    void work().finally(() => setBusy(false));
  };
  return (
    <Tooltip label={`${label}, or drag it to a folder`}>
      <ActionIcon
        size={28}
        aria-label={label}
        draggable
        onClick={() => begin(onClick)}
        onDragStart={(event: DragEvent) => {
          // The browser's own drag would show a picture of the button.
          event.preventDefault();
          begin(onDrag);
        }}
      >
        <IconFileExport size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
