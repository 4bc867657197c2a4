import { Button, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CatalogFinding, ProviderDetail } from '../../api/contract.ts';
import { providersQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { KeyValueEditor } from '../../components/form/KeyValueEditor.tsx';
import { ScopesInput } from '../../components/form/ScopesInput.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { type EntryDocument, renameEntry, undescribedFields, writeEntryValue } from './entry-document.ts';

interface EntryFormProps {
  text: string;
  entry: EntryDocument;
  /** The entry overrides a built-in provider: key and auth type cannot be changed. */
  isOverride: boolean;
  /** The provider as it applies now: the values of fields that an override leaves empty. */
  base: ProviderDetail | undefined;
  /** What the check of the text found; shown at the fields of the form, too. */
  problems: readonly CatalogFinding[];
  onChange: (text: string) => void;
}

/** Modes that the form supports; other modes are edited as text. */
const MODES = ['API_KEY', 'OAUTH2', 'OAUTH2_CC', 'BASIC', 'NONE'];

const KEY_FIELD = {
  type: 'string',
  title: 'API key',
  description: 'From your account at the provider',
  secret: true,
};

/** The most common members of an entry, as fields. Each field writes one value of the text. */
export function EntryForm({ text, entry, isOverride, base, problems, onChange }: EntryFormProps) {
  const { data: providers } = useQuery(providersQueryOptions());
  const categories = useMemo(() => [...new Set(providers?.flatMap((one) => one.categories))].sort(), [providers]);
  const mode = entry.text(['auth_mode']);
  const set = (path: string[], value: string): void =>
    // An entry has to have a name: cleared, it stays in its place until another one is typed.
    onChange(writeEntryValue(text, path, value === '' && path.at(-1) !== 'display_name' ? undefined : value));
  const setList = (path: string[], value: string): void =>
    onChange(writeEntryValue(text, path, value === '' ? undefined : value.split(',')));
  const input = (label: string, path: string[], description?: string, inForce?: string | null) => (
    <TextInput
      label={label}
      description={description}
      spellCheck={false}
      {...(isOverride && inForce ? { placeholder: inForce } : {})}
      value={entry.text(path)}
      error={problems.find(({ keyPath }) => keyPath === path.join('.'))?.reason}
      onChange={(event) => set(path, event.currentTarget.value)}
    />
  );
  return (
    <>
      {!isOverride && (
        <CodeInput
          label="Key"
          description="Integrations and files refer to the provider by it. Use lower-case letters, digits and -."
          value={entry.name}
          onChange={(event) => onChange(renameEntry(text, event.currentTarget.value.replaceAll(/\s+/g, '-')))}
        />
      )}
      {input('Display name', ['display_name'], undefined, base?.displayName)}
      {!isOverride && (
        <Select
          label="Auth type"
          data={[...new Set([...MODES, ...(mode === '' ? [] : [mode])])].map((value) => ({
            value,
            label: authModeName(value),
          }))}
          value={mode === '' ? null : mode}
          allowDeselect={false}
          onChange={(value) => value && onChange(withMode(text, entry, value))}
        />
      )}
      {input(
        'Base address',
        ['proxy', 'base_url'],
        'Requests are sent to paths below it. ${connectionConfig.name} stands for a field.',
        base?.baseUrl,
      )}
      <Undescribed text={text} entry={entry} onChange={onChange} />
      <TextInput
        label="Verification path"
        description="A path below the base address where a GET answers 2xx only for valid credentials."
        spellCheck={false}
        value={entry.text(['proxy', 'verification', 'endpoints'])}
        onChange={(event) => {
          const path = event.currentTarget.value;
          onChange(
            path === ''
              ? writeEntryValue(text, ['proxy', 'verification'], undefined)
              : writeEntryValue(text, ['proxy', 'verification'], { method: 'GET', endpoints: [path] }),
          );
        }}
      />
      {(mode === 'OAUTH2' || entry.has(['authorization_url'])) && (
        <>
          {input('Authorization address', ['authorization_url'])}
          {input('Token address', ['token_url'])}
          <ScopesInput
            label="Default scopes"
            value={entry.text(['default_scopes'])}
            suggestions={[]}
            onChange={(value) => setList(['default_scopes'], value)}
          />
          <Switch
            label="The provider supports PKCE"
            checked={entry.text(['disable_pkce']) !== 'true'}
            onChange={(event) =>
              onChange(writeEntryValue(text, ['disable_pkce'], event.currentTarget.checked ? undefined : true))
            }
          />
        </>
      )}
      {mode === 'OAUTH2_CC' && input('Token address', ['token_url'])}
      <KeyValueEditor
        label="Headers"
        description="Sent with every request. ${apiKey}, ${username} and ${accessToken} stand for credentials."
        noun="Header"
        pairs={Object.entries(entry.map(['proxy', 'headers'])).map(([key, value]) => ({ key, value }))}
        onChange={(pairs) =>
          onChange(
            writeEntryValue(
              text,
              ['proxy', 'headers'],
              pairs.length === 0 ? undefined : Object.fromEntries(pairs.map(({ key, value }) => [key, value])),
            ),
          )
        }
      />
      <ScopesInput
        label="Categories"
        value={entry.text(['categories'])}
        suggestions={categories}
        onChange={(value) => setList(['categories'], value)}
      />
      {input('Documentation', ['docs'], 'Address of the provider’s own documentation.', base?.docsUrl)}
    </>
  );
}

/** Every value that the base address takes from the connection needs a field for it. */
function Undescribed({ text, entry, onChange }: Pick<EntryFormProps, 'text' | 'entry' | 'onChange'>) {
  const names = undescribedFields(text, entry);
  if (names.length === 0) return null;
  const describe = (name: string): void =>
    onChange(
      writeEntryValue(text, ['connection_config', name], {
        type: 'string',
        title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
        description: 'Part of the address',
        pattern: '^[a-z0-9-]+$',
      }),
    );
  return (
    <div className="row" style={{ flexWrap: 'wrap' }}>
      <span className="soft">Not asked for:</span>
      {names.map((name) => (
        <Button key={name} size="xs" variant="default" onClick={() => describe(name)}>
          Add field {name}
        </Button>
      ))}
    </div>
  );
}

/** Changes the auth type and adds the members that it requires. */
function withMode(text: string, entry: EntryDocument, mode: string): string {
  const changed = writeEntryValue(text, ['auth_mode'], mode);
  if (mode === 'API_KEY') {
    const described = entry.has(['credentials', 'apiKey'])
      ? changed
      : writeEntryValue(changed, ['credentials', 'apiKey'], KEY_FIELD);
    return writeEntryValue(described, ['proxy', 'headers', 'authorization'], 'Bearer ${apiKey}');
  }
  const isOwn = entry.text(['proxy', 'headers', 'authorization']).includes('${apiKey}');
  const bare = isOwn ? writeEntryValue(changed, ['proxy', 'headers', 'authorization'], undefined) : changed;
  const without = writeEntryValue(bare, ['credentials'], undefined);
  if (mode !== 'OAUTH2' || entry.has(['authorization_url'])) return without;
  const withPage = writeEntryValue(without, ['authorization_url'], 'https://example.com/oauth/authorize');
  return writeEntryValue(withPage, ['token_url'], 'https://example.com/oauth/token');
}
