import { Button, FileButton, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';

/** Where an API description is: its address, or a file with its text. */
export interface DescriptionPlace {
  address?: string;
  file?: string;
  text?: string;
}

/** Asks for an API description by its address or as a file. */
export function DescriptionForm({
  description,
  initial = '',
  hasFocus = false,
  isReading,
  isRead,
  onRead,
}: {
  /** What the address may be of. */
  description: string;
  initial?: string;
  hasFocus?: boolean;
  isReading: boolean;
  isRead: boolean;
  onRead: (place: DescriptionPlace) => void;
}) {
  const [address, setAddress] = useState(initial);
  const [file, setFile] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (address.trim() === '') return;
    setFile(undefined);
    onRead({ address: address.trim() });
  };
  const take = (chosen: File | null): void =>
    void chosen?.text().then((text) => {
      setFile(chosen.name);
      onRead({ file: chosen.name, text });
    });
  return (
    <div className="stack gap-12">
      <form onSubmit={submit}>
        <Group align="flex-end" gap={8} wrap="nowrap">
          <TextInput
            style={{ flex: 1 }}
            label="Address"
            description={description}
            placeholder="https://api.example.com/openapi.json"
            spellCheck={false}
            autoComplete="off"
            {...(hasFocus && { 'data-autofocus': true })}
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant={isRead ? 'default' : 'filled'}
            loading={isReading}
            disabled={address.trim() === ''}
          >
            Read
          </Button>
        </Group>
      </form>
      <Group gap={8}>
        <span className="soft">or</span>
        <FileButton onChange={take} accept=".json,.yaml,.yml">
          {(props) => (
            <Button {...props} variant="default" size="xs" disabled={isReading}>
              Choose a file
            </Button>
          )}
        </FileButton>
        {file !== undefined && <code className="faint">{file}</code>}
      </Group>
    </div>
  );
}
