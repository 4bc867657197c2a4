import { useCallback, useEffect, useState } from 'react';
import type { AuthResult, OfferedIntegration, OfferedWay } from '../api/connect-api.ts';
import type { ApiError } from '../lib/api-error.ts';
import type { Chosen } from './form/chosen.ts';
import type { FormValues } from './form/form-field.ts';
import { formFields } from './form/form-fields.ts';
import { initialValues, isDirty } from './form/form-rules.ts';
import { failureOf, type InlineWarning } from './page/attempt-failure.ts';
import { type ConnectData, type NoticeKind, noticeFor, onlyIntegration } from './page/connect-data.ts';
import { notifyHost } from './page/host-page.ts';
import { useTexts } from './texts/texts-context.ts';

export type ConnectScreen =
  | { name: 'list' | 'opening' }
  | { name: 'form'; startsAtOnce?: boolean }
  | { name: 'notice'; notice: NoticeKind }
  | { name: 'success'; result: AuthResult }
  | { name: 'failed'; error: ApiError };

/** The steps of connecting one account: the current screen, and the functions that lead to the next one. */
export function useConnectFlow(data: ConnectData) {
  const t = useTexts();
  const only = onlyIntegration(data);
  const [screen, setScreen] = useState<ConnectScreen>({ name: only ? 'opening' : 'list' });
  const [chosen, setChosen] = useState<Chosen>();
  const [opening, setOpening] = useState<string>();
  const [values, setValues] = useState<FormValues>({});
  const [warning, setWarning] = useState<InlineWarning>();
  const [isBusy, setBusy] = useState(false);
  const [way, setWay] = useState<OfferedWay>();

  const choose = useCallback(
    async (integration: OfferedIntegration): Promise<void> => {
      setOpening(integration.unique_key);
      try {
        const provider = await data.getProvider(integration);
        const subject = { provider, integration, session: data.session, t, makeId: () => crypto.randomUUID() };
        const fields = formFields(subject);
        const ways = integration.sign_in ?? ['redirect'];
        // This page was loaded again while a code was valid: it goes on.
        const isPending = ways.includes('code') && (await data.api?.hasPendingCode(integration.unique_key)) === true;
        setChosen({ integration, provider, fields, ways });
        setValues(initialValues(fields));
        setWarning(undefined);
        setWay(isPending ? 'code' : undefined);
        setScreen(isPending ? { name: 'form', startsAtOnce: true } : { name: 'form' });
        data.track('view:integration', integration.unique_key);
      } catch (error) {
        setScreen({ name: 'notice', notice: noticeFor(error) });
      } finally {
        setOpening(undefined);
      }
    },
    [data, t],
  );
  useEffect(() => {
    if (only) void choose(only);
    else data.track('view:list');
  }, [only, choose, data]);

  const showList = (): void => {
    setScreen({ name: 'list' });
    data.track('view:list');
  };
  return {
    screen,
    chosen,
    opening,
    values,
    warning,
    /** What the person chose; by default the usual way. */
    way: way ?? chosen?.ways[0] ?? 'redirect',
    setWay,
    /** With one integration there is no list to return to. */
    canGoBack: screen.name === 'form' && !only && !isBusy,
    /** Whether leaving now would lose typed values. */
    hasWork: screen.name === 'form' && chosen !== undefined && (isBusy || isDirty(chosen.fields, values)),
    choose,
    showList,
    /** The person closed a notice. */
    startAgain: () => (only ? void choose(only) : showList()),
    showForm: (how: { startsAtOnce?: boolean } = {}) => setScreen({ name: 'form', ...how }),
    setValues,
    setBusy,
    onConnected(result: AuthResult): void {
      notifyHost({ type: 'connect', payload: result });
      data.track('view:success', chosen?.integration.unique_key);
      setScreen({ name: 'success', result });
    },
    onFailed(error: ApiError): void {
      const failure = failureOf(error);
      notifyHost({ type: 'error', payload: { errorType: failure.errorType, errorMessage: error.message } });
      if (failure.event) data.track(failure.event, chosen?.integration.unique_key);
      setWarning(failure.warning);
      if (failure.isExpired) setScreen({ name: 'notice', notice: 'expired' });
      else if (!failure.warning) setScreen({ name: 'failed', error });
    },
  };
}

export type ConnectFlowState = ReturnType<typeof useConnectFlow>;
