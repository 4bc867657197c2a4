import { createContext, useContext } from 'react';
import { createTranslate, type Translate } from './translate.ts';

export const TextsContext = createContext<Translate>(createTranslate({}));

export const useTexts = (): Translate => useContext(TextsContext);
