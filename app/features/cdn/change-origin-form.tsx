import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { REDIRECT_TARGET_MAX } from '#server/services/cdn/rules.ts';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { ERROR_MESSAGES } from '../../i18n/error-messages.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { type OriginChoice, OriginChoiceField } from './origin-choice.tsx';
import { SiteSelect } from './site-select.tsx';
import { useEndpointParams } from './use-endpoint-params.ts';

/** Asks what an endpoint is to lead to from now on; visitors see it within a second. */
export default function ChangeOriginForm({ endpoint, onDone }: { endpoint: Endpoint; onDone: () => void }) {
  const { t, i18n } = useLingui();
  const ofEndpoint = useEndpointParams();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const [origin, setOrigin] = useState<OriginChoice>(
    endpoint.origin_type === 'redirect' ? 'redirect' : 'site',
  );
  const [siteId, setSiteId] = useState(endpoint.site_id);
  const [target, setTarget] = useState(endpoint.redirect_target ?? '');
  const [isIncomplete, setIncomplete] = useState(false);
  const { hostname } = endpoint;
  const update = trpc.cdn.update.useMutation({
    onSuccess: (updated) => {
      utils.cdn.get.setData(ofEndpoint, updated);
      // Sites count their endpoints.
      void utils.cdn.list.invalidate();
      void utils.sites.invalidate();
      notifySuccess(t`The origin of ${hostname} was changed`);
      onDone();
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (update.isPending) return;
    const isMissing = origin === 'site' ? siteId === null : target.trim() === '';
    setIncomplete(isMissing);
    if (isMissing) return;
    update.mutate(
      origin === 'site'
        ? { ...ofEndpoint, origin_type: 'site', site_id: siteId }
        : { ...ofEndpoint, origin_type: 'redirect', redirect_target: target.trim() },
    );
  };
  const change = <T,>(set: (value: T) => void) => {
    return (value: T) => {
      set(value);
      setIncomplete(false);
      update.reset();
    };
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <OriginChoiceField value={origin} onChange={change(setOrigin)} />
        {origin === 'site' ? (
          <SiteSelect
            value={siteId}
            onChange={change(setSiteId)}
            error={isIncomplete ? i18n._(ERROR_MESSAGES.endpoint_site_required) : null}
          />
        ) : (
          <TextInput
            type="url"
            label={t`Redirect target`}
            description={t`The whole address that visitors are sent to. Path and query are kept.`}
            placeholder="https://example.ca"
            required
            value={target}
            maxLength={REDIRECT_TARGET_MAX}
            onChange={(event) => change(setTarget)(event.currentTarget.value)}
            error={isIncomplete ? i18n._(ERROR_MESSAGES.redirect_target_required) : null}
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
        <Text size="sm" c="dimmed">
          <Trans>
            Visitors of {hostname} reach the new origin within a second. DNS and certificate stay.
          </Trans>
        </Text>
        {update.error && <ErrorNotice>{describe(update.error)}</ErrorNotice>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={update.isPending}>
            <Trans>Change origin</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
