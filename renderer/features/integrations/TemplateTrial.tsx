import { Button, Stack } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { IntegrationDetail, TemplateRow, TriedTemplate } from '../../api/contract.ts';
import { useTryTemplate } from '../../api/functions/functions-mutations.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { formatDuration } from '../../lib/format-time.ts';
import classes from './TemplateBrowser.module.css';

interface TemplateTrialProps {
  row: TemplateRow;
  integration: IntegrationDetail;
}

/** Runs the template with its recorded responses: shows its requests to the provider and its result. */
export function TemplateTrial({ row, integration }: TemplateTrialProps) {
  const attempt = useTryTemplate(integration.key);
  return (
    <Stack gap={8}>
      <p className="soft">
        Runs the template over the recorded responses that ship with it. Nothing is sent to {integration.displayName}{' '}
        and nothing is stored.
      </p>
      <div>
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={14} stroke={1.6} aria-hidden />}
          loading={attempt.isPending}
          onClick={() => attempt.mutate(row)}
        >
          {attempt.data ? 'Run again' : 'Run'}
        </Button>
      </div>
      {attempt.error && <ErrorPanel error={attempt.error} />}
      {attempt.data && <TrialResult tried={attempt.data} />}
    </Stack>
  );
}

function TrialResult({ tried: { durationMs, error, input, output, records, requests } }: { tried: TriedTemplate }) {
  if (error) return <ErrorPanel error={error} />;
  return (
    <section className={`stack gap-8 ${classes['result']}`} aria-label="Result">
      <p role="status">
        Done after {formatDuration(durationMs)}: {formatCount(requests.length, 'request')}.
      </p>
      <h3>Requests</h3>
      {requests.length === 0 && <p className="faint">It sent no requests.</p>}
      <ul className={classes['requests']}>
        {requests.map(({ method, path, status }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same request may be sent more than once
          <li className="grid gap-8 line-below" key={index}>
            <code>{method}</code>
            <code className="cut" title={path}>
              {path}
            </code>
            <code className="soft">{status}</code>
          </li>
        ))}
      </ul>
      {input !== null && (
        <>
          <h3>Input</h3>
          <JsonViewer json={input} label="input" height={200} isPlain />
        </>
      )}
      {output !== null && (
        <>
          <h3>Output</h3>
          <JsonViewer json={output} label="output" height={320} isPlain />
        </>
      )}
      {records.map(({ deleted, model, rows, saved }) => (
        <div key={model}>
          <h3>
            {model}{' '}
            <span className="faint">
              {formatCount(saved, 'record')} saved{deleted > 0 && `, ${deleted} deleted`}
            </span>
          </h3>
          <JsonViewer json={rows} label={`records of ${model}`} height={320} isPlain />
        </div>
      ))}
    </section>
  );
}
