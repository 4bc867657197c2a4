import { Anchor } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { Fragment } from 'react';
import { CopyRow } from '../../components/CopyRow.tsx';
import { CallbackTestStep } from './CallbackTest.tsx';
import classes from './SetupSteps.module.css';

interface SetupStepsProps {
  steps: readonly string[];
  callbackUrl: string;
  /** Comma-separated; what the app must be allowed to ask for. */
  scopes?: string;
  guideUrl: string | null;
  /** Members of the provider's entry that are not confirmed. */
  unconfirmed: readonly string[];
}

const CALLBACK = '{callbackUrl}';

/** The steps at the provider, with the callback address to copy where a step needs it. */
export function SetupSteps({ steps, callbackUrl, guideUrl, scopes = '', unconfirmed }: SetupStepsProps) {
  const returns = steps.some((step) => step.includes(CALLBACK));
  if (steps.length === 0 && guideUrl === null) return null;
  return (
    <section className={classes['steps']} style={{ paddingBottom: 24 }} aria-label="Steps at the provider">
      <h2>Steps at the provider</h2>
      {steps.length > 0 && (
        <ol>
          {steps.map((step) => (
            <li className="breaks" key={step}>
              {step.split(CALLBACK).map((part, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
                <Fragment key={index}>
                  {index > 0 && <CopyRow value={callbackUrl} label="Copy callback address" />}
                  {/* After the copy button a full stop stands alone. */}
                  {part === '.' ? '' : part}
                </Fragment>
              ))}
            </li>
          ))}
          {scopes !== '' && (
            <li className="breaks">
              If the app lists scopes, choose these:
              <div>
                <CopyRow value={scopes} label="Copy scopes" />
              </div>
            </li>
          )}
          {callbackUrl !== '' && returns && (
            <li>
              Test that the provider can send people back.
              <CallbackTestStep callbackUrl={callbackUrl} />
            </li>
          )}
        </ol>
      )}
      {guideUrl !== null && (
        <Anchor href={guideUrl} target="_blank" rel="noreferrer" fz="sm">
          Open the provider's page <IconExternalLink size={14} stroke={1.6} aria-hidden />
        </Anchor>
      )}
      {unconfirmed.length > 0 && (
        <p className="faint small pt-8">
          Not checked against the provider's documentation: <code>{unconfirmed.join(', ')}</code>
        </p>
      )}
    </section>
  );
}
