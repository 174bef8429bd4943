import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { readHostname } from '#server/services/cdn/hostname-rules.ts';
import { HOSTNAME_TYPED_MAX, REDIRECT_TARGET_MAX } from '#server/services/cdn/rules.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { useSettings } from '../../use-settings.ts';
import {
  checkEndpoint,
  type EndpointField,
  type FieldErrors,
  type TypedEndpoint,
} from './endpoint-form-errors.ts';
import { OriginChoiceField } from './origin-choice.tsx';
import { SiteSelect } from './site-select.tsx';
import { useCreateEndpoint } from './use-create-endpoint.ts';

/** Asks for a hostname and what it leads to, creates the endpoint and goes to its page, where its records are. */
export function CreateEndpointForm(props: { initialSiteId: string | undefined; onCancel: () => void }) {
  const { i18n, t } = useLingui();
  const { sitesHost, isAuthorityLocal } = useSettings();
  const describe = useErrorMessage();
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState<TypedEndpoint>({
    hostname: '',
    origin: 'site',
    siteId: props.initialSiteId ?? null,
    redirectTarget: '',
  });
  const [errors, setErrors] = useState<FieldErrors<string>>({});
  const { send, isPending, failure } = useCreateEndpoint((field, words) => setErrors({ [field]: words }));

  useEffect(() => {
    if (Object.keys(errors).length > 0) {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }
  }, [errors]);

  /** What was wrong with a field is not said any more once the field changes. */
  const change = (changes: Partial<TypedEndpoint>, field?: EndpointField) => {
    setTyped({ ...typed, ...changes });
    if (field && errors[field]) setErrors({ ...errors, [field]: undefined });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const found = Object.entries(checkEndpoint(typed));
    setErrors(Object.fromEntries(found.map(([field, words]) => [field, i18n._(words)])));
    if (found.length === 0) send(typed);
  };

  const { hostname } = readHostname(typed.hostname);
  const message = failure === null ? '' : describe(failure);
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap="md">
        <div>
          <TextInput
            label={t`Hostname`}
            description={
              isAuthorityLocal
                ? t`A name of your own, such as www.example.ca. Names that end in .localhost work on this computer without DNS.`
                : t`A name of your own, such as www.example.ca.`
            }
            value={typed.hostname}
            onChange={(event) => change({ hostname: event.currentTarget.value }, 'hostname')}
            error={errors.hostname ?? null}
            maxLength={HOSTNAME_TYPED_MAX}
            required
            autoComplete="off"
            autoCapitalize="none"
            inputMode="url"
            spellCheck={false}
            data-autofocus
          />
          <Text size="sm" c="dimmed" mt={6} aria-live="polite" style={{ overflowWrap: 'anywhere' }}>
            {hostname !== null && hostname !== typed.hostname.trim() && (
              <Trans>
                The hostname is <strong>{hostname}</strong>
              </Trans>
            )}
          </Text>
        </div>
        <OriginChoiceField value={typed.origin} onChange={(origin) => change({ origin })} />
        {typed.origin === 'site' ? (
          <SiteSelect
            value={typed.siteId}
            onChange={(siteId) => change({ siteId }, 'site_id')}
            error={errors.site_id ?? null}
          />
        ) : (
          <TextInput
            type="url"
            label={t`Redirect to`}
            description={t`A whole address. It must include the host, as in https://blog.${sitesHost}/news; the path and query of a visit are added.`}
            placeholder={`https://blog.${sitesHost}`}
            value={typed.redirectTarget}
            onChange={(event) => change({ redirectTarget: event.currentTarget.value }, 'redirect_target')}
            error={errors.redirect_target ?? null}
            maxLength={REDIRECT_TARGET_MAX}
            required
            autoComplete="off"
            spellCheck={false}
          />
        )}
        {failure !== null && (
          <ErrorNotice>
            <Trans>Error: {message}</Trans>
          </ErrorNotice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onCancel}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isPending}>
            <Trans>Add endpoint</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
