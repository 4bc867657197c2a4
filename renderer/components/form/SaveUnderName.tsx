import { ActionIcon, Button, Popover, TextInput, Tooltip } from '@mantine/core';
import { IconBookmarkPlus } from '@tabler/icons-react';
import { useState } from 'react';

interface SaveUnderNameProps {
  /** "Save view": what the button does. */
  label: string;
  /** "Name of the view". */
  nameLabel: string;
  /** What stands in the field when it opens. */
  initial?: string | undefined;
  onSave: (name: string) => void;
}

/** A button that asks for a name in place; an empty name saves nothing. */
export function SaveUnderName({ label, nameLabel, initial = '', onSave }: SaveUnderNameProps) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={260} trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={label}>
          <ActionIcon
            size={28}
            aria-label={label}
            onClick={() => {
              setName(initial);
              setOpen(!isOpen);
            }}
          >
            <IconBookmarkPlus size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <form
          className="flex gap-8 at-bottom"
          onSubmit={(event) => {
            event.preventDefault();
            // The form around this one must not be submitted.
            event.stopPropagation();
            if (name.trim() === '') return;
            onSave(name.trim());
            setName('');
            setOpen(false);
          }}
        >
          <TextInput
            className="grow"
            label={nameLabel}
            value={name}
            maxLength={60}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" disabled={name.trim() === ''}>
            Save
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
