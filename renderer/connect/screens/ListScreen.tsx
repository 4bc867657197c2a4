import { IconArrowRight, IconChevronRight, IconSearch, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { OfferedIntegration } from '../../api/connect-api.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import type { ConnectData } from '../page/connect-data.ts';
import { useTexts } from '../texts/texts-context.ts';
import { TITLE_ID } from './Dialog.tsx';
import classes from './ListScreen.module.css';
import screen from './screen.module.css';
import { Title } from './Title.tsx';

/** Shorter lists need no search. */
const SEARCH_FROM = 9;

interface ListScreenProps {
  data: ConnectData;
  /** Key of the integration whose form is loading. */
  opening: string | undefined;
  onChoose: (integration: OfferedIntegration) => void;
}

/** The integrations that can be connected; arrow keys move from the search box through the list. */
export function ListScreen({ data, opening, onChoose }: ListScreenProps) {
  const t = useTexts();
  const [text, setText] = useState('');
  const root = useRef<HTMLDivElement>(null);
  const { integrations, track } = data;
  const hasSearch = integrations.length >= SEARCH_FROM;
  const found = integrations.filter((one) => one.display_name.toLowerCase().includes(text.trim().toLowerCase()));
  const choose = (integration: OfferedIntegration): void => {
    track('click:integration', integration.unique_key);
    onChoose(integration);
  };
  return (
    <div
      ref={root}
      role="group"
      aria-labelledby={TITLE_ID}
      className={`stack ${screen['screen']}`}
      onKeyDown={(event) => stepThrough(event, root.current)}
    >
      <Title lead={t('list.lead')}>{t('list.title')}</Title>
      {hasSearch && (
        <SearchField
          text={text}
          label={t('list.search', { count: integrations.length })}
          onText={setText}
          onEnter={() => found[0] && choose(found[0])}
        />
      )}
      <p className="visually-hidden" role="status">
        {text !== '' && t(found.length === 1 ? 'list.found.one' : 'list.found.other', { count: found.length })}
      </p>
      {found.length === 0 && <p className={`soft breaks ${classes['nothing']}`}>{t('list.nothing', { text })}</p>}
      <ul className={classes['list']}>
        {found.map((integration) => (
          <li key={integration.unique_key}>
            <button
              type="button"
              className={`row full ${classes['row']}`}
              data-step
              aria-busy={opening === integration.unique_key}
              disabled={opening !== undefined && opening !== integration.unique_key}
              onClick={() => opening === undefined && choose(integration)}
            >
              <ProviderLogo provider={integration.provider} name={integration.display_name} size={36} tile />
              <span className={`grow name breaks ${classes['name']}`}>{integration.display_name}</span>
              {opening === integration.unique_key ? (
                <span className={`rigid turning ${screen['spinner']}`} />
              ) : (
                <>
                  <IconChevronRight className={`soft rigid ${classes['rest']}`} size={16} stroke={1.6} aria-hidden />
                  <IconArrowRight className={`rigid ${classes['go']}`} size={16} stroke={1.6} aria-hidden />
                </>
              )}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface SearchFieldProps {
  text: string;
  label: string;
  onText: (text: string) => void;
  onEnter: () => void;
}

function SearchField({ text, label, onText, onEnter }: SearchFieldProps) {
  const t = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const clear = (): void => {
    onText('');
    input.current?.focus();
  };
  return (
    <div className={classes['search']}>
      <label className={`soft name small ${classes['label']}`} htmlFor="connect-search">
        {label}
      </label>
      <div className={`row gap-0 ${screen['box']}`}>
        <IconSearch className="rigid soft" style={{ marginLeft: 12 }} size={16} stroke={1.6} aria-hidden />
        <input
          ref={input}
          className={screen['input']}
          id="connect-search"
          type="text"
          role="searchbox"
          data-first
          data-step
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onEnter();
            if (event.key !== 'Escape' || text === '') return;
            event.preventDefault();
            clear();
          }}
        />
        {text !== '' && (
          <button
            type="button"
            className={`centred rigid soft ${screen['tool']}`}
            aria-label={t('list.clear')}
            onClick={clear}
          >
            <IconX size={14} stroke={1.6} aria-hidden />
          </button>
        )}
      </div>
    </div>
  );
}

/** Up and down move between the search box and the rows, and stop at the first and the last. */
function stepThrough(event: KeyboardEvent, root: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !root) return;
  const steps = [...root.querySelectorAll<HTMLElement>('[data-step]')];
  const at = steps.indexOf(document.activeElement as HTMLElement);
  event.preventDefault();
  steps[Math.min(Math.max(at + step, 0), steps.length - 1)]?.focus();
}
