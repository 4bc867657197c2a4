import { Button, PasswordInput, SegmentedControl, Switch } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { saveFile } from '../../lib/save-file.ts';
import { notifyDone, notifyError } from '../notice/notify.ts';
import classes from './ExportForm.module.css';

/** The same minimum as on the command line. */
const MIN_PASSPHRASE_LENGTH = 8;

interface FileOptions {
  format: 'zip' | 'json';
  /** When present, the file contains credentials and secrets, sealed under it. */
  passphrase?: string;
}

export interface ExportFormProps {
  /** A part of the file name. */
  name: string;
  /** An archive holds functions as files. */
  hasFunctions?: boolean;
  isDisabled?: boolean;
  write: (options: FileOptions) => Promise<Blob>;
  /** The file was written. */
  onDone?: () => void;
}

/** The format of the file and, for a file with secrets, the passphrase that seals them. */
export function ExportForm({ name, hasFunctions = false, isDisabled, write, onDone }: ExportFormProps) {
  const [hasSecrets, setHasSecrets] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [format, setFormat] = useState<FileOptions['format']>('zip');
  const [isWriting, setWriting] = useState(false);
  const isShort = hasSecrets && passphrase.length < MIN_PASSPHRASE_LENGTH;
  const differs = hasSecrets && again !== passphrase;
  const submit = async (): Promise<void> => {
    setWriting(true);
    try {
      saveFile(`homeport-${name}.${format}`, await write({ format, ...(hasSecrets && { passphrase }) }));
      notifyDone(hasSecrets ? 'Exported with sealed credentials' : 'Exported without credentials');
      onDone?.();
    } catch (error) {
      notifyError(error);
    } finally {
      setWriting(false);
    }
  };
  return (
    <form
      className={`stack gap-12 ${classes['form']}`}
      style={{ maxWidth: 480 }}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <fieldset className="stack gap-8">
        <legend className="name pb-8">File format</legend>
        <SegmentedControl
          aria-label="File format"
          value={format}
          onChange={(next) => setFormat(next as FileOptions['format'])}
          data={[
            { value: 'zip', label: 'ZIP archive' },
            { value: 'json', label: 'One JSON file' },
          ]}
        />
        <p className="soft">
          {format === 'zip'
            ? `${hasFunctions ? 'Functions are files in it; checksums' : 'Checksums'} show later changes.`
            : 'For programs that read it.'}
        </p>
      </fieldset>
      <Switch
        label="With credentials and secrets, sealed under a passphrase"
        checked={hasSecrets}
        onChange={(event) => setHasSecrets(event.currentTarget.checked)}
      />
      {hasSecrets && (
        <>
          <PasswordInput
            label="Passphrase"
            description={`At least ${MIN_PASSPHRASE_LENGTH} characters. Without it nobody can open the secrets.`}
            value={passphrase}
            autoComplete="new-password"
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
          <PasswordInput
            label="Passphrase again"
            value={again}
            error={again !== '' && differs ? 'The two passphrases differ.' : undefined}
            autoComplete="new-password"
            onChange={(event) => setAgain(event.currentTarget.value)}
          />
        </>
      )}
      <div>
        <Button
          type="submit"
          loading={isWriting}
          disabled={isDisabled === true || isShort || differs}
          leftSection={<IconDownload size={16} stroke={1.6} />}
        >
          Export
        </Button>
      </div>
    </form>
  );
}
