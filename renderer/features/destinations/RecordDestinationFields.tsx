import { Checkbox, PasswordInput, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { IntegrationsSelect } from '../../components/form/IntegrationsSelect.tsx';
import type { DestinationDraft } from './record-destination-draft.ts';

interface FieldsProps {
  draft: DestinationDraft;
  /** Messages by field. */
  problems: Partial<Record<string, string>>;
  /** Secrets of a destination that is edited stay when their field is empty. */
  isNew?: boolean;
  onChange: (patch: Partial<DestinationDraft>) => void;
}

const STAYS = 'Stays as it is';
const TLS = [
  { value: 'auto', label: 'Checked, except on this computer' },
  { value: 'verify', label: 'Encrypted, certificate checked' },
  { value: 'encrypt', label: 'Encrypted, certificate not checked' },
  { value: 'off', label: 'Not encrypted' },
];

/** The fields of a destination, by its kind, and which records it gets. */
export function RecordDestinationFields({ draft, problems, isNew = false, onChange }: FieldsProps) {
  return (
    <Stack gap={12}>
      <TextInput
        data-autofocus
        label="Name"
        placeholder="Warehouse"
        autoComplete="off"
        maxLength={100}
        value={draft.name}
        error={problems['name']}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      {draft.kind === 'postgres' && (
        <PostgresFields draft={draft} problems={problems} isNew={isNew} onChange={onChange} />
      )}
      {draft.kind === 'ndjson' && (
        <CodeInput
          label="Folder"
          description="The whole path on the computer of the hub."
          placeholder="/home/me/records"
          value={draft.folder}
          error={problems['folder']}
          onChange={(event) => onChange({ folder: event.currentTarget.value })}
        />
      )}
      {draft.kind === 'http' && (
        <>
          <CodeInput
            label="Address"
            description="It gets a signed POST, and may be on this computer."
            placeholder={isNew ? 'http://localhost:4000/records' : STAYS}
            value={draft.url}
            error={problems['url']}
            onChange={(event) => onChange({ url: event.currentTarget.value })}
          />
          <PasswordInput
            label="Token (optional)"
            description="Sent as a bearer token."
            placeholder={isNew ? '' : STAYS}
            autoComplete="off"
            value={draft.token}
            error={problems['token']}
            onChange={(event) => onChange({ token: event.currentTarget.value })}
          />
        </>
      )}
      <FilterFields draft={draft} problems={problems} onChange={onChange} />
    </Stack>
  );
}

function PostgresFields({ draft, problems, isNew, onChange }: FieldsProps) {
  return (
    <>
      <PasswordInput
        label="Connection"
        description="User, password, host, port and database. It is sealed in the vault."
        placeholder={isNew ? 'postgres://user:password@host:5432/database' : STAYS}
        autoComplete="off"
        spellCheck={false}
        value={draft.connection}
        error={problems['connection_string']}
        onChange={(event) => onChange({ connection: event.currentTarget.value })}
      />
      <CodeInput
        label="Schema"
        description="Made when it is missing. It belongs to this destination alone."
        value={draft.schema}
        error={problems['schema']}
        onChange={(event) => onChange({ schema: event.currentTarget.value })}
      />
      <Select
        label="Encryption"
        data={isNew ? TLS : TLS.filter(({ value }) => value !== 'auto')}
        value={draft.tls}
        allowDeselect={false}
        error={problems['tls']}
        onChange={(tls) => onChange({ tls: (tls ?? 'auto') as DestinationDraft['tls'] })}
      />
      {draft.tls === 'verify' && (
        <Textarea
          label="Certificate of the authority (optional)"
          description="For a server whose certificate no public authority signed."
          placeholder="-----BEGIN CERTIFICATE-----"
          rows={3}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={draft.certificate}
          error={problems['ca_certificate']}
          onChange={(event) => onChange({ certificate: event.currentTarget.value })}
        />
      )}
      <Checkbox
        label="Keep rows of deleted records, with _deleted set"
        checked={draft.isMarking}
        onChange={(event) => onChange({ isMarking: event.currentTarget.checked })}
      />
    </>
  );
}

function FilterFields({ draft, problems, onChange }: FieldsProps) {
  const integrations = useQuery(integrationChoicesQueryOptions(useEnv())).data ?? [];
  const isFiltered = draft.integrations.length + draft.models.length + draft.connections.length > 0;
  const [isOpen, setOpen] = useState(isFiltered);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary style={{ minHeight: 24, cursor: 'pointer' }}>
        {isFiltered ? 'Only some records' : 'All records; choose some'}
      </summary>
      <Stack gap={12} pt={8}>
        <IntegrationsSelect
          integrations={integrations}
          value={draft.integrations}
          error={problems['integrations']}
          onChange={(next) => onChange({ integrations: next })}
        />
        <TagsInput
          label="Models"
          placeholder={draft.models.length === 0 ? 'All models' : ''}
          value={draft.models}
          error={problems['models']}
          onChange={(next) => onChange({ models: next })}
        />
        <TagsInput
          label="Connections"
          placeholder={draft.connections.length === 0 ? 'All connections' : ''}
          value={draft.connections}
          error={problems['connections']}
          onChange={(next) => onChange({ connections: next })}
        />
      </Stack>
    </details>
  );
}

/** What a test found. */
export function TestResult({ result }: { result: { ok: boolean; message: string } | undefined }) {
  return (
    <p role="status" className="small" style={{ color: result?.ok ? 'var(--hp-ok)' : 'var(--hp-bad)' }}>
      {result?.message}
    </p>
  );
}
