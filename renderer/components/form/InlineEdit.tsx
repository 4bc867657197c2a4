import { Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { KEY_MAP } from '../../lib/key-map.ts';
import { useCommands } from '../use-commands.ts';
import { DiscardQuestion } from './DiscardQuestion.tsx';
import { useSaveKey } from './use-save-key.ts';

interface EditButtonProps {
  onClick: () => void;
  /** For returning the focus after the edit. */
  ref?: RefObject<HTMLButtonElement | null>;
  children: ReactNode;
}

/** Starts editing its section; `e` presses the one of the section with the focus, or the first of the page. */
export function EditButton({ onClick, ref, children }: EditButtonProps) {
  const own = useRef<HTMLButtonElement>(null);
  const button = ref ?? own;
  const isMeant = (): boolean => {
    const focused = document.activeElement?.closest('section')?.querySelector('[data-edit]');
    return (focused ?? document.querySelector('[data-edit]')) === button.current;
  };
  useCommands([{ ...KEY_MAP.edit, run: () => isMeant() && onClick() }]);
  return (
    <Button
      ref={button}
      data-edit
      size="xs"
      variant="default"
      leftSection={<IconPencil size={14} stroke={1.6} aria-hidden />}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}

interface EditAreaProps {
  /** What is edited, as the question names it: "Metadata". */
  section: string;
  /** Whether Esc would lose something. */
  isDirty: boolean;
  onSave: () => void;
  onCancel: () => void;
  children: ReactNode;
}

/** The fields of an edit, the first of which gets the focus: Mod+Enter and Mod+S save, Esc cancels and asks first when something was typed. */
export function EditArea({ section, isDirty, onSave, onCancel, children }: EditAreaProps) {
  const area = useSaveKey<HTMLDivElement>(onSave);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (area.current?.contains(document.activeElement)) return;
    const first = area.current?.querySelector<HTMLElement>('input, textarea');
    // A list without entries has a button that adds one, and no field yet.
    (first ?? area.current?.querySelector<HTMLElement>('button:enabled'))?.focus();
  }, [area]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      if (isDirty) setAsking(true);
      else onCancel();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSave();
    else return;
    event.preventDefault();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the fields inside. */}
      <div ref={area} onKeyDown={onKeyDown}>
        {children}
      </div>
      {/* Outside: its own Esc must not arrive here as well. */}
      <DiscardQuestion
        isOpen={isAsking}
        title="Discard what you typed?"
        text={`Changes to ${section} are not saved.`}
        stay="Keep editing"
        onStay={() => setAsking(false)}
        onDiscard={onCancel}
      />
    </>
  );
}
