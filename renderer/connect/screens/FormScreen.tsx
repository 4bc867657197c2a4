import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { AuthResult, OfferedWay } from '../../api/connect-api.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { authCall } from '../client/auth-calls.ts';
import type { Chosen } from '../form/chosen.ts';
import { sectionUrl } from '../form/docs-link.ts';
import type { FormValues } from '../form/form-field.ts';
import { cleanFieldValue, formProblems, toSubmission, typedValue, wrongPresets } from '../form/form-rules.ts';
import { useAttempt } from '../form/use-attempt.ts';
import type { InlineWarning } from '../page/attempt-failure.ts';
import type { ConnectData } from '../page/connect-data.ts';
import { keepToken } from '../page/kept-token.ts';
import { useTexts } from '../texts/texts-context.ts';
import type { TextKey } from '../texts/translate.ts';
import { CodePanel } from './CodePanel.tsx';
import { Field } from './Field.tsx';
import { FormLead } from './FormLead.tsx';
import classes from './FormScreen.module.css';
import screen from './screen.module.css';
import { Title } from './Title.tsx';
import { WaitPanel } from './WaitPanel.tsx';

const WARNINGS: Record<InlineWarning, TextKey> = {
  blocked: 'window.blocked',
  closed: 'window.closed',
  late: 'browser.late',
};

interface FormScreenProps {
  data: ConnectData;
  chosen: Chosen;
  values: FormValues;
  /** The failure of the last attempt, if it is shown on the form. */
  warning: InlineWarning | undefined;
  /** The person asked for another attempt on the screen before. */
  startsAtOnce: boolean;
  way: OfferedWay;
  onWay: (way: OfferedWay) => void;
  onChange: (values: FormValues) => void;
  onBusy: (isBusy: boolean) => void;
  onConnected: (result: AuthResult) => void;
  onFailed: (error: ApiError) => void;
}

/** The fields of a provider and the button that connects; the same screen waits for the end of an authorization. */
export function FormScreen({
  data,
  chosen,
  values,
  warning,
  startsAtOnce,
  way,
  onWay,
  onChange,
  onBusy,
  ...props
}: FormScreenProps) {
  const t = useTexts();
  const { integration, provider, fields } = chosen;
  const { session, params, api, track } = data;
  const attempt = useAttempt(props.onConnected, props.onFailed);
  const { progress } = attempt;
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());
  const [attention, setAttention] = useState(0);
  const isBusy = progress !== undefined;
  // Nothing goes on in a window that was closed: the button opens it again.
  const isGone = progress?.stage === 'popup' && progress.isGone;
  const isWithCode = progress?.stage === 'code';
  const token = api?.target.token;
  useEffect(() => {
    if (!isWithCode) return;
    keepToken(token);
    return () => keepToken(undefined);
  }, [isWithCode, token]);
  useEffect(() => {
    onBusy(isBusy);
    return () => onBusy(false);
  }, [isBusy, onBusy]);

  const name = integration.display_name;
  const key = integration.unique_key;
  const shown = fields.filter(({ isShown }) => isShown);
  const problems = formProblems(fields, values, t);
  const wrong = wrongPresets(fields, t);

  const connect = (): void => {
    if (!api) return;
    const submission = toSubmission(fields, values);
    const call = authCall(key, provider, submission, way);
    if (!call) {
      props.onFailed(new ApiError('auth_mode_err', `Homeport cannot connect ${provider.auth_mode} here.`, 0));
      return;
    }
    track('click:connect', key);
    attempt.start({
      target: api.target,
      call,
      params: submission.params,
      socketPath: session.websocketsPath,
      detectsClosed: params.detectsClosed,
    });
  };
  // Still part of the click that asked for it, so that the browser lets the page open a window.
  const first = useRef(startsAtOnce ? connect : undefined);
  useLayoutEffect(() => {
    first.current?.();
    first.current = undefined;
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const ids = Object.keys(problems);
    setChecked(new Set(shown.map(({ id }) => id)));
    setAttention(ids.length);
    if (ids[0] !== undefined) document.getElementById(ids[0])?.focus();
    else connect();
  };
  const other = chosen.ways.find((one) => one !== way);
  const titleKey = session.isReconnecting ? 'form.title.again' : 'form.title';
  const submitKey = session.isReconnecting ? 'form.submit.again' : 'form.submit';
  const summaryKey = attention === 1 ? 'form.attention.one' : 'form.attention.other';
  return (
    <form className={`stack ${screen['screen']}`} noValidate onSubmit={submit}>
      <ProviderLogo provider={integration.provider} name={name} size={56} tile />
      <div className={classes['head']}>
        <Title lead={<FormLead data={data} chosen={chosen} count={shown.length} way={way} />}>
          {t(titleKey, { name })}
        </Title>
        {provider.source === 'override' && <p className="soft pt-8">{t('form.changed')}</p>}
      </div>
      <fieldset className={`stack ${classes['fields']}`} disabled={isBusy}>
        {shown.map((field, index) => (
          <Field
            key={field.id}
            field={field}
            value={typedValue(field, values)}
            problem={checked.has(field.id) ? problems[field.id] : undefined}
            docsUrl={sectionUrl(session, chosen, field.doc_section)}
            isFirst={index === 0}
            onDocs={() => track('click:doc_section', key)}
            onChange={(value) => onChange({ ...values, [field.id]: value })}
            onLeave={() => {
              const value = typedValue(field, values);
              onChange({ ...values, [field.id]: cleanFieldValue(field, value) });
              if (value !== '') setChecked(new Set(checked).add(field.id));
            }}
          />
        ))}
      </fieldset>
      <div role="alert">
        {wrong.length > 0 && (
          <Warning>{t('form.presets', { fields: wrong.map(({ title }) => title).join(', ') })}</Warning>
        )}
        {warning && !isBusy && <Warning>{t(WARNINGS[warning])}</Warning>}
        {attention > 0 && <span className="visually-hidden">{t(summaryKey, { count: attention })}</span>}
      </div>
      {progress?.stage === 'code' ? (
        <CodePanel
          name={name}
          code={progress.code}
          hasExpired={progress.hasExpired}
          onNew={attempt.showAgain}
          onCancel={attempt.cancel}
        />
      ) : (
        <>
          <button
            type="submit"
            className={screen['primary']}
            data-first={shown.length === 0 || undefined}
            aria-disabled={(isBusy && !isGone) || undefined}
            disabled={wrong.length > 0}
            onClick={(event) => {
              if (isBusy) event.preventDefault();
              if (isGone) attempt.showAgain();
            }}
          >
            {isBusy && !isGone && <span className={`rigid turning ${screen['spinner']}`} />}
            {isGone ? t('window.again') : isBusy ? t('form.busy') : warning ? t('retry') : t(submitKey, { name })}
          </button>
          {progress && (
            <WaitPanel name={name} progress={progress} showAgain={attempt.showAgain} cancel={attempt.cancel} />
          )}
          {!progress && other && (
            <button type="button" className="link name" style={{ margin: '12px auto 0' }} onClick={() => onWay(other)}>
              {t(other === 'code' ? 'code.instead' : 'code.window')}
            </button>
          )}
        </>
      )}
    </form>
  );
}

function Warning({ children }: { children: string }) {
  return (
    <p className={`flex gap-8 ${classes['warning']}`}>
      <IconAlertTriangle className="rigid" size={16} stroke={1.6} aria-hidden />
      {children}
    </p>
  );
}
