import './mantine.css';
import 'virtual:homeport-theme.css';
import './fonts.css';
import './global.css';
import '../components/base.css';
import '../components/shared.css';
import './kit.module.css';
import './forced-colors.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startPreferences } from '../lib/preferences.ts';
import { App } from './App.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');
startPreferences();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
