import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { REDIRECT_TARGET_MAX } from '#server/services/cdn/rules.ts';
import { useSettings } from '../../../use-settings.ts';
import { OriginChoiceField } from './origin-choice.tsx';
import { SiteSelect } from './site-select.tsx';
import type { EndpointFields } from './use-endpoint-fields.ts';

/** The origin of an endpoint: its kind, and the site or the address that goes with it. */
export function OriginFields({ typed, errors, change }: EndpointFields) {
  const { t } = useLingui();
  const { sitesHost } = useSettings();
  return (
    <>
      <OriginChoiceField value={typed.origin} onChange={(origin) => change({ origin })} />
      {typed.origin === 'site' ? (
        <SiteSelect
          value={typed.siteId}
          onChange={(siteId) => change({ siteId })}
          error={errors.site_id ?? null}
        />
      ) : (
        <TextInput
          type="url"
          label={t`Redirect to`}
          description={t`A full address. It must include the host, as in https://blog.${sitesHost}/news; the path and query of each visit are added.`}
          placeholder={`https://blog.${sitesHost}`}
          value={typed.redirectTarget}
          onChange={(event) => change({ redirectTarget: event.currentTarget.value })}
          error={errors.redirect_target ?? null}
          maxLength={REDIRECT_TARGET_MAX}
          required
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </>
  );
}
