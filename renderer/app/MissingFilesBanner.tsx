import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { missingFunctionsQueryOptions } from '../api/attention-queries.ts';
import type { MissingFunctions } from '../api/contract.ts';
import { usePruneFunctions } from '../api/functions/functions-mutations.ts';
import { useChange } from '../api/use-change.ts';
import { useEnv } from '../api/use-env.ts';
import { useConfirm } from '../components/notice/use-confirm.tsx';
import { Banner } from '../components/page/Banner.tsx';
import { formatCount } from '../lib/format-number.ts';
import { paths } from '../lib/paths.ts';

/** On every screen while a decision is needed; for disabled functions only above the list of functions. */
export function MissingFilesBanner() {
  const env = useEnv();
  const { pathname } = useLocation();
  const { data } = useQuery(missingFunctionsQueryOptions(env));
  const confirm = useConfirm();
  const confirmMissing = useChange('POST /api/v1/functions/missing/confirm');
  const prune = usePruneFunctions();
  if (!data || data.functions.length === 0) return confirm.dialog;
  if (!data.isHeld && pathname !== paths.functions(env)) return confirm.dialog;
  const ask = (): void =>
    confirm.ask({
      title: `Remove ${formatCount(data.functions.length, 'function')} for good?`,
      text: <WhatGoes functions={data.functions} />,
      action: 'Remove functions',
      run: () => prune.mutateAsync(data.functions),
    });
  const switchOff = (): void => confirmMissing.mutate();
  return (
    <>
      <Banner
        tone="warn"
        actions={
          <>
            {data.isHeld && (
              <Button size="xs" variant="default" loading={confirmMissing.isPending} onClick={switchOff}>
                Disable them
              </Button>
            )}
            <Button size="xs" variant="default" onClick={ask}>
              Remove for good…
            </Button>
          </>
        }
      >
        <Sentence data={data} />
      </Banner>
      {confirm.dialog}
    </>
  );
}

function Sentence({ data: { functions, isFolderGone, isHeld } }: { data: MissingFunctions }) {
  const count = formatCount(functions.length, 'function');
  if (isFolderGone)
    return (
      <>
        <b>The functions folder is gone or empty.</b> Its functions keep running, and nothing is disabled, until the
        files are back or you confirm it.
      </>
    );
  if (isHeld)
    return (
      <>
        <b>The files of {count} are missing.</b> That is more than half, so nothing was disabled until they are back or
        you confirm it.
      </>
    );
  return (
    <>
      <b>{count} without a file.</b> {functions.length === 1 ? 'It is' : 'They are'} disabled. Syncs, settings and
      records are kept and continue when the {functions.length === 1 ? 'file is' : 'files are'} back.
    </>
  );
}

function WhatGoes({ functions }: { functions: MissingFunctions['functions'] }) {
  return (
    <>
      <p>Their syncs are removed and their records are marked deleted. This cannot be undone.</p>
      <ul>
        {functions.map(({ file, records, syncs }) => (
          <li key={file}>
            <code>{file}</code>: {formatCount(syncs, 'sync')}, {formatCount(records, 'record')}
          </li>
        ))}
      </ul>
    </>
  );
}
