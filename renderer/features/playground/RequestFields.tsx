import { NumberInput, Select, Tabs } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { PROXY_METHODS, type ProxyMethod, referencedVariables } from '../../api/contract.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { KeyValueEditor } from '../../components/form/KeyValueEditor.tsx';
import type { KeyValue } from '../../lib/key-values.ts';
import { BodyFields } from './BodyFields.tsx';
import classes from './Playground.module.css';
import { type Draft, takesBody } from './playground-draft.ts';
import { queryRows, withQueryRows } from './request-query.ts';
import { VariableCompletion } from './VariableCompletion.tsx';

const VariableList = lazy(async () => ({ default: (await import('./VariableList.tsx')).VariableList }));

interface RequestFieldsProps {
  draft: Draft;
  onChange: (patch: Partial<Draft>) => void;
}

/** The request of an API call: method and path, and tabs with its parameters, headers, body and options. */
export function RequestFields({ draft, onChange }: RequestFieldsProps) {
  const hasBody = takesBody(draft.method);
  const [chosen, setChosen] = useState(hasBody ? 'body' : 'params');
  const tab = chosen === 'body' && !hasBody ? 'params' : chosen;
  const hasContent =
    draft.bodyType === 'form' || draft.bodyType === 'multipart' ? draft.fields.length > 0 : draft.body !== '';
  const params = queryRows(draft.endpoint);
  const named = (pairs: readonly KeyValue[]): number => pairs.filter(({ key }) => key !== '').length;
  const used = referencedVariables(textsOf(draft));
  const hasOptions = draft.retries > 0 || draft.baseUrl !== '';
  return (
    <VariableCompletion>
      <div className={`grid gap-8 ${classes['request']}`}>
        <Select
          label="Method"
          data={[...PROXY_METHODS]}
          value={draft.method}
          onChange={(method) => {
            onChange({ method: method as ProxyMethod });
            if (takesBody(method as ProxyMethod) && !hasBody) setChosen('body');
          }}
        />
        <CodeInput
          label="Path"
          placeholder="/v1/users?limit=10"
          value={draft.endpoint}
          onChange={(event) => onChange({ endpoint: event.currentTarget.value })}
        />
      </div>
      <Tabs value={tab} onChange={(next) => setChosen(next ?? 'params')} keepMounted={false}>
        <Tabs.List style={{ padding: 0, overflowX: 'auto', flexWrap: 'nowrap' }}>
          <Tabs.Tab value="params">
            Parameters <Count of={named(params)} />
          </Tabs.Tab>
          <Tabs.Tab value="headers">
            Headers <Count of={named(draft.headers)} />
          </Tabs.Tab>
          {hasBody && (
            <Tabs.Tab value="body">
              Body {draft.bodyType !== 'none' && hasContent && <span className="faint">•</span>}
            </Tabs.Tab>
          )}
          <Tabs.Tab value="variables">
            Variables <Count of={used.length} />
          </Tabs.Tab>
          <Tabs.Tab value="options">Options {hasOptions && <span className="faint">•</span>}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="params" className="stack gap-12" pt={12}>
          <KeyValueEditor
            label="Query parameters"
            description="The same as in the path: what changes here changes there."
            noun="Parameter"
            pairs={params}
            onChange={(rows) => onChange({ endpoint: withQueryRows(draft.endpoint, rows) })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="headers" className="stack gap-12" pt={12}>
          <KeyValueEditor
            label="Request headers"
            description="Sent beside the credentials, which Homeport adds."
            noun="Header"
            pairs={draft.headers}
            onChange={(headers) => onChange({ headers })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="body" className="stack gap-12" pt={12}>
          <BodyFields draft={draft} onChange={onChange} />
        </Tabs.Panel>
        <Tabs.Panel value="variables" className="stack gap-12" pt={12}>
          <Suspense fallback={null}>
            <VariableList used={used} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="options" className="stack gap-12" pt={12}>
          <div className={`grid gap-8 ${classes['request']}`}>
            <NumberInput
              label="Retries"
              min={0}
              max={10}
              value={draft.retries}
              onChange={(value) => onChange({ retries: Number(value) || 0 })}
            />
            <CodeInput
              label="Base address"
              placeholder="The provider’s own"
              value={draft.baseUrl}
              onChange={(event) => onChange({ baseUrl: event.currentTarget.value })}
            />
          </div>
        </Tabs.Panel>
      </Tabs>
    </VariableCompletion>
  );
}

/** Texts of the request in which variables are filled in. */
function textsOf({ endpoint, headers, method, bodyType, body, fields }: Draft): string[] {
  const pairs = (rows: readonly KeyValue[]): string[] => rows.flatMap(({ key, value }) => [key, value]);
  const isForm = bodyType === 'form' || bodyType === 'multipart';
  const sent = !takesBody(method) || bodyType === 'none' ? [] : isForm ? pairs(fields) : [body];
  return [endpoint, ...pairs(headers), ...sent];
}

function Count({ of }: { of: number }) {
  return of > 0 && <span className="faint">{of}</span>;
}
