import { IconExternalLink } from '@tabler/icons-react';
import type { OfferedWay } from '../../api/connect-api.ts';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import { isAuthorization } from '../client/auth-calls.ts';
import type { Chosen } from '../form/chosen.ts';
import { guideUrl } from '../form/docs-link.ts';
import type { ConnectData } from '../page/connect-data.ts';
import { useTexts } from '../texts/texts-context.ts';
import type { TextKey } from '../texts/translate.ts';

interface FormLeadProps {
  data: ConnectData;
  chosen: Chosen;
  /** Number of visible fields. */
  count: number;
  way: OfferedWay;
}

/** Says what the form asks for, and where to find it. */
export function FormLead({ data, chosen, count, way }: FormLeadProps) {
  const t = useTexts();
  const { integration, provider } = chosen;
  const usesAuthorization = isAuthorization(provider);
  const guide = guideUrl(data.session, chosen);
  return (
    <>
      {t(usesAuthorization && way === 'code' ? codeLead(count) : leadKey(usesAuthorization, count), {
        name: integration.display_name,
        count,
      })}
      {guide !== undefined && (
        <>
          {' '}
          <a
            className="link name one-line"
            href={guide}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => data.track('click:doc', integration.unique_key)}
          >
            {t(guideKey(usesAuthorization, count))}
            <IconExternalLink size={14} stroke={1.6} style={{ marginLeft: 5, verticalAlign: -1 }} aria-hidden />
          </a>
        </>
      )}
    </>
  );
}

const codeLead = (count: number): TextKey => (count > 0 ? 'form.lead.fieldsThenCode' : 'form.lead.code');

function leadKey(usesAuthorization: boolean, count: number): TextKey {
  if (usesAuthorization && count > 0) return 'form.lead.fieldsThenSignIn';
  if (usesAuthorization) return desktopBridge() ? 'form.lead.browser' : 'form.lead.popup';
  if (count === 0) return 'form.lead.none';
  return count === 1 ? 'form.lead.one' : 'form.lead.other';
}

function guideKey(usesAuthorization: boolean, count: number): TextKey {
  if (usesAuthorization || count === 0) return 'form.guide';
  return count === 1 ? 'form.guide.one' : 'form.guide.other';
}
