import { ActionIcon, Button } from '@mantine/core';
import { IconEye, IconEyeOff, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import type { DocsCode } from '../../api/contract.ts';
import { useIsProduction } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { HoverTip } from '../../components/HoverTip.tsx';
import { notifyError } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { readHttp } from '../../lib/http-block.ts';
import { isJson, printJson } from '../../lib/json-digits.ts';
import { copyWithReaderValues, fillReaderValues, HIDDEN_KEY, namesSecretKey } from '../../lib/reader-values.ts';
import classes from './Docs.module.css';
import { useReader } from './reader-context.ts';

const NAMES: Record<string, string> = {
  sh: 'Terminal',
  js: 'JavaScript',
  ts: 'TypeScript',
  python: 'Python',
  go: 'Go',
  http: 'HTTP',
  json: 'JSON',
  yaml: 'YAML',
  html: 'HTML',
};

interface Answer {
  status: number;
  text: string;
}

/** A code block with the reader's own values; a request can be sent to the reader's hub. */
export function DocsBlock({ block }: { block: DocsCode }) {
  const { code, language, pieces, runs } = block;
  const { secretKey, toggleKey, values } = useReader();
  const [answer, setAnswer] = useState<Answer>();
  const [isRunning, setRunning] = useState(false);
  const isProduction = useIsProduction();
  const { ask, dialog } = useConfirm();
  const fill = (text: string): string => fillReaderValues(text, values, HIDDEN_KEY);
  const isKeyShown = values.secretKey !== undefined;
  const label = NAMES[language] ?? 'Text';
  const send = async (): Promise<void> => {
    setRunning(true);
    try {
      setAnswer(await sendRequest(fill(code), await secretKey()));
    } finally {
      setRunning(false);
    }
  };
  const run = (): void => {
    const { method, path } = readHttp(fill(code));
    if (method === 'GET' || (method === 'POST' && !isProduction)) send().catch(notifyError);
    else
      ask({
        title: `Send ${method} ${path}?`,
        text: 'The request goes to your hub and changes what it has.',
        action: 'Send',
        isHarmless: method !== 'DELETE',
        run: send,
      });
  };
  return (
    <figure className={`frame ${classes['block']}`}>
      <div className={`row line-below ${classes['bar']}`}>
        <span className="soft note grow">{label}</span>
        {namesSecretKey(code) && (
          <HoverTip label={isKeyShown ? 'Hide the key' : 'Show the key'}>
            <ActionIcon size={24} aria-label={isKeyShown ? 'Hide the key' : 'Show the key'} onClick={toggleKey}>
              {isKeyShown ? <IconEyeOff size={14} stroke={1.6} /> : <IconEye size={14} stroke={1.6} />}
            </ActionIcon>
          </HoverTip>
        )}
        {runs && (
          <Button
            size="compact-xs"
            h={24}
            variant="default"
            leftSection={<IconPlayerPlay size={12} aria-hidden />}
            loading={isRunning}
            onClick={run}
          >
            Run
          </Button>
        )}
        <CopyButton
          value={() => copyWithReaderValues(code, values)}
          label="Copy"
          isSecret={isKeyShown && namesSecretKey(code)}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre className="scroll sunken" tabIndex={0} role="region" aria-label={`${label} code`}>
        {pieces
          ? pieces.map(([text, syntax], index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a block never change places.
              <span key={index} data-syntax={syntax}>
                {fill(text)}
              </span>
            ))
          : fill(code)}
      </pre>
      {answer && (
        <section className={`line-above ${classes['answer']}`} aria-label="Answer" aria-live="polite">
          <p className="row between note">
            <span className={answer.status < 400 ? 'soft' : 'bad'}>Status {answer.status}</span>
            <CopyButton value={answer.text} label="Copy answer" />
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above. */}
          <pre className="scroll" tabIndex={0} role="region" aria-label="Body of the answer">
            {isJson(answer.text) ? printJson(answer.text) : answer.text}
          </pre>
        </section>
      )}
      {dialog}
    </figure>
  );
}

async function sendRequest(text: string, secretKey: string): Promise<Answer> {
  const { body, headers, method, path } = readHttp(text);
  const response = await fetch(path, {
    method,
    headers: {
      Authorization: `Bearer ${secretKey}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    // The key decides, as for a program.
    credentials: 'omit',
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, text: await response.text() };
}
