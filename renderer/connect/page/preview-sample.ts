import type { OfferedIntegration, OfferedProvider, OpenConnectSession } from '../../api/connect-api.ts';

const NAMES = { airtable: 'Airtable', github: 'GitHub', notion: 'Notion' };

/** The data of the preview in the settings, which makes no calls. */
export const PREVIEW_SESSION: OpenConnectSession = {
  endUser: null,
  connectUISettings: {
    showWatermark: false,
    defaultTheme: 'system',
    theme: { light: { primary: '#00B2E3' }, dark: { primary: '#00B2E3' } },
  },
};

export const PREVIEW_INTEGRATIONS: OfferedIntegration[] = Object.entries(NAMES).map(([provider, display_name]) => ({
  unique_key: provider,
  provider,
  display_name,
  logo: '',
  forward_webhooks: false,
  created_at: '',
  updated_at: '',
}));

export const previewProvider = ({ provider, display_name }: OfferedIntegration): OfferedProvider => ({
  name: provider,
  display_name,
  auth_mode: 'API_KEY',
  logo_url: '',
  source: 'built-in',
});
