import { useEffect, useState } from 'react';
import type { OwnTexts } from '../texts/translate.ts';
import { type ConnectData, loadConnectData, type NoticeKind, noticeFor, previewData } from './connect-data.ts';
import { isFramed, listenToHost, notifyHost } from './host-page.ts';
import type { LoadParams } from './load-params.ts';
import { applyTheme, type PageSettings, readSettings } from './page-theme.ts';

/** Milliseconds that an embedding app may take to send its session (ui.md 11.2). */
const TOKEN_WITHIN_MS = 10_000;

export type Loading =
  | { phase: 'waiting' }
  | { phase: 'notice'; notice: NoticeKind }
  | { phase: 'ready'; data: ConnectData };

export interface ConnectDataState {
  loading: Loading;
  /** In the preview, the embedding page sets it. */
  showWatermark: boolean;
  texts: OwnTexts | undefined;
  retry(): void;
}

/** The handshake with the embedding app, then the session and the integrations that can be connected in it. */
export function useConnectData(params: LoadParams, language: string): ConnectDataState {
  /** A new object reloads, even with the same token. */
  const [handover, setHandover] = useState({ token: params.token });
  const [loading, setLoading] = useState<Loading>({ phase: 'waiting' });
  const [{ showWatermark, texts }, setSettings] = useState<Pick<PageSettings, 'showWatermark' | 'texts'>>({
    showWatermark: false,
  });

  useEffect(() => {
    const stop = listenToHost({
      onToken: (token) => setHandover((now) => (now.token === token ? now : { token })),
      onSettings(value) {
        const settings = params.isPreview ? readSettings(value) : undefined;
        if (!settings) return;
        applyTheme(params.theme, settings);
        setSettings(settings);
      },
    });
    notifyHost({ type: 'ready' });
    return stop;
  }, [params]);

  useEffect(() => {
    if (params.isPreview) {
      setLoading({ phase: 'ready', data: previewData(params) });
      return;
    }
    const { token } = handover;
    if (token === undefined) {
      const giveUp = (): void => setLoading({ phase: 'notice', notice: 'start' });
      const timer = setTimeout(giveUp, isFramed() ? TOKEN_WITHIN_MS : 0);
      return () => clearTimeout(timer);
    }
    let isCurrent = true;
    setLoading({ phase: 'waiting' });
    loadConnectData(params, token, language).then(
      (data) => {
        if (!isCurrent) return;
        applyTheme(params.theme, data.session.connectUISettings);
        setSettings(data.session.connectUISettings);
        data.track('open');
        setLoading(data.integrations.length > 0 ? { phase: 'ready', data } : { phase: 'notice', notice: 'empty' });
      },
      (error: unknown) => isCurrent && setLoading({ phase: 'notice', notice: noticeFor(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [params, handover, language]);

  return { loading, showWatermark, texts, retry: () => setHandover({ ...handover }) };
}
