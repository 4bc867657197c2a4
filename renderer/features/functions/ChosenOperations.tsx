import { ActionIcon, Button, Checkbox, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCode, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { OfferedOperation } from '../../api/contract.ts';
import { describedPreviewQueryOptions, type WantedOperation } from '../../api/functions/openapi-functions.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { formatCount } from '../../lib/format-number.ts';
import classes from './OpenApiFunctions.module.css';

const CodeView = lazy(async () => ({ default: (await import('../../components/code/CodeView.tsx')).CodeView }));

interface ChosenProps {
  integrationKey: string;
  address: string | undefined;
  hash: string;
  operations: OfferedOperation[];
  chosen: WantedOperation[];
  setChosen: (change: (before: WantedOperation[]) => WantedOperation[]) => void;
  types: { withTypes: boolean; setWithTypes: (isWanted: boolean) => void };
  isWriting: boolean;
  error: Error | null;
  onWrite: () => void;
}

/** The ticked operations: their names, the code that would be written, and why it cannot be. */
export function ChosenOperations(props: ChosenProps) {
  const { address, chosen, error, hash, integrationKey, isWriting, onWrite, operations, setChosen, types } = props;
  const env = useEnv();
  const [settled] = useDebouncedValue(chosen, 200);
  const isNamed = settled.every(({ name }) => name.trim() !== '');
  const preview = useQuery(
    describedPreviewQueryOptions(env, integrationKey, { address, hash, operations: isNamed ? settled : [] }),
  );
  const [openCode, setOpenCode] = useState<string>();
  const isCurrent = settled === chosen && isNamed && preview.isSuccess && !preview.isPlaceholderData;
  const change = (operation: string, parts: Partial<WantedOperation>): void =>
    setChosen((before) => before.map((one) => (one.operation === operation ? { ...one, ...parts } : one)));
  const hasProblem = preview.data?.functions.some(({ problem }) => problem !== null) ?? true;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isCurrent && !hasProblem) onWrite();
      }}
    >
      <ul className={classes['chosen']}>
        {chosen.map(({ kind, name, operation }, index) => {
          const shown = isCurrent ? preview.data?.functions[index] : undefined;
          const described = operations.find((one) => one.operation === operation);
          return (
            <li key={operation} className="line-below stack gap-8">
              <div className="row gap-8 at-bottom">
                <CodeInput
                  style={{ flex: 1 }}
                  label={operation}
                  classNames={{ input: 'mono', label: 'breaks' }}
                  value={name}
                  error={shown?.problem ?? undefined}
                  onChange={(event) => change(operation, { name: event.currentTarget.value })}
                />
                {described?.list != null && (
                  <Select
                    w={104}
                    aria-label={`What ${operation} becomes`}
                    data={['sync', 'action']}
                    value={kind}
                    allowDeselect={false}
                    onChange={(next) => {
                      if (next === 'sync' || next === 'action') change(operation, { kind: next });
                    }}
                  />
                )}
                <ActionIcon
                  variant="default"
                  size={32}
                  aria-label={`Code of ${name}`}
                  aria-expanded={openCode === operation}
                  onClick={() => setOpenCode(openCode === operation ? undefined : operation)}
                >
                  <IconCode size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  size={32}
                  aria-label={`Leave out ${operation}`}
                  onClick={() => setChosen((before) => before.filter((one) => one.operation !== operation))}
                >
                  <IconX size={16} />
                </ActionIcon>
              </div>
              {openCode === operation && shown && (
                <div className={`frame scroll ${classes['code']}`}>
                  <Suspense fallback={<PartLoading />}>
                    <CodeView key={shown.code} code={shown.code} label={shown.file} />
                  </Suspense>
                </div>
              )}
            </li>
          );
        })}
      </ul>
      <div className="stack gap-12" style={{ padding: 16 }}>
        <Checkbox
          checked={types.withTypes}
          onChange={(event) => types.setWithTypes(event.currentTarget.checked)}
          label="Types of the API"
          description="Your editor and the check then know its paths, values and answers"
        />
        {preview.error && !preview.isFetching && <ErrorPanel error={preview.error} />}
        {error && <ErrorPanel error={error} />}
        <Button type="submit" disabled={!isCurrent || hasProblem} loading={isWriting}>
          Write {formatCount(chosen.length, 'function', 'functions')}
        </Button>
      </div>
    </form>
  );
}
