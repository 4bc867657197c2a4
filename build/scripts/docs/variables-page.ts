import { SETTING_VARIABLES, type SettingVariable } from '../../../server/contract/setting-variables.ts';
import { REFERENCE, type WrittenPage, writeTable } from './written-page.ts';

/** The environment variables of the program. */
export function variablesPage(): WrittenPage {
  const rows = Object.entries<SettingVariable>(SETTING_VARIABLES).map(([name, { meaning, usual }]) => [
    `\`${name}\``,
    meaning,
    usual ?? 'none',
  ]);
  return {
    name: 'variables',
    title: 'Environment variables',
    about: 'every variable that the program reads, with its default',
    section: REFERENCE,
    text: `# Environment variables

They are read once, at the start. A name that is nearly one of these is reported as a typing error. Most other settings are in the
window; [settings](settings.md) says where.

${writeTable(['Variable', 'Meaning', 'Default'], rows)}
`,
  };
}
