import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { REDIRECT_TARGET_MAX } from '#server/services/cdn/rules.ts';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { readError } from '../../i18n/read-error.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useSettings } from '../../use-settings.ts';
import {
  checkEndpoint,
  type EndpointField,
  fieldOfRefusal,
  type TypedEndpoint,
  wordsOfRefusal,
} from './endpoint-form-errors.ts';
import { OriginChoiceField } from './origin-choice.tsx';
import { SiteSelect } from './site-select.tsx';
import { useEndpointParams } from './use-endpoint-params.ts';

/** Asks what an endpoint is to lead to from now on; visitors see it within a second. */
export default function ChangeOriginForm({ endpoint, onDone }: { endpoint: Endpoint; onDone: () => void }) {
  const { t, i18n } = useLingui();
  const { sitesHost } = useSettings();
  const ofEndpoint = useEndpointParams();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const { hostname } = endpoint;
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState<TypedEndpoint>({
    hostname,
    origin: endpoint.origin_type === 'redirect' ? 'redirect' : 'site',
    siteId: endpoint.site_id,
    redirectTarget: endpoint.redirect_target ?? '',
  });
  const [errors, setErrors] = useState<Partial<Record<EndpointField, string>>>({});
  const update = trpc.cdn.update.useMutation({
    onSuccess: (updated) => {
      utils.cdn.get.setData(ofEndpoint, updated);
      void utils.cdn.list.invalidate();
      // Sites count their endpoints.
      void utils.sites.invalidate();
      notifySuccess(t`The origin of ${hostname} was changed`);
      onDone();
    },
    onError: (error) => {
      const known = readError(error);
      const field = known && fieldOfRefusal(known);
      if (!field) return;
      const words = wordsOfRefusal(known);
      setErrors({ [field]: words ? i18n._(words) : describe(error) });
    },
  });
  useEffect(() => {
    if (Object.keys(errors).length > 0) {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }
  }, [errors]);

  const change = (changes: Partial<TypedEndpoint>) => {
    setTyped({ ...typed, ...changes });
    setErrors({});
    update.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (update.isPending) return;
    const found = Object.entries(checkEndpoint(typed)).filter(([field]) => field !== 'hostname');
    setErrors(Object.fromEntries(found.map(([field, words]) => [field, i18n._(words)])));
    if (found.length > 0) return;
    const { origin, siteId, redirectTarget } = typed;
    update.mutate({
      ...ofEndpoint,
      origin_type: origin,
      ...(origin === 'site' ? { site_id: siteId } : { redirect_target: redirectTarget }),
    });
  };
  const refused = readError(update.error);
  const isOfField = refused !== null && fieldOfRefusal(refused) !== null;

  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap="md">
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
            description={t`A whole address. It must include the host, as in https://blog.${sitesHost}/news; the path and query of a visit are added.`}
            placeholder={`https://blog.${sitesHost}`}
            required
            value={typed.redirectTarget}
            maxLength={REDIRECT_TARGET_MAX}
            onChange={(event) => change({ redirectTarget: event.currentTarget.value })}
            error={errors.redirect_target ?? null}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <Trans>
            Visitors of {hostname} get the new origin within a second. DNS and certificate stay as they are.
          </Trans>
        </Text>
        {update.error && !isOfField && <ErrorNotice>{describe(update.error)}</ErrorNotice>}
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
