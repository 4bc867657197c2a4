import 'virtual:homeport-colours.css';
import '../components/base.css';
import '../components/shared.css';
import './connect.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ConnectApp } from './ConnectApp.tsx';
import { isFramed } from './page/host-page.ts';
import { keptToken } from './page/kept-token.ts';
import { readLoadParams, withoutToken } from './page/load-params.ts';
import { applyTheme } from './page/page-theme.ts';
import { TextsContext } from './texts/texts-context.ts';
import { chooseLanguage, createTranslate, loadTexts } from './texts/translate.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');

const given = readLoadParams(location.href);
const params = { ...given, token: given.token ?? keptToken() };
const cleanAddress = withoutToken(location.href);
if (cleanAddress !== undefined) history.replaceState(null, '', cleanAddress);
applyTheme(params.theme);
const language = chooseLanguage(params.lang, navigator.languages);
document.documentElement.lang = language;
document.documentElement.dataset['layout'] = params.isEmbedded ? 'embedded' : isFramed() ? 'overlay' : 'page';
// The preview stands beside the settings form and must not take the focus from it.
document.documentElement.toggleAttribute('data-preview', params.isPreview);
const translate = createTranslate(await loadTexts(language));

createRoot(root).render(
  <StrictMode>
    <TextsContext value={translate}>
      <ConnectApp params={params} language={language} />
    </TextsContext>
  </StrictMode>,
);
