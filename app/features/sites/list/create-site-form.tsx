import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { KIND_OF_CODE } from '#server/error-codes.ts';
import {
  type NameChange,
  nameChangeOf,
  readableSiteName,
  SITE_NAME_MAX,
  sanitizeSiteName,
} from '#server/services/sites/rules.ts';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { readError } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useSettings } from '../../../use-settings.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

const TYPED_MAX = 200;

/** Asks for the name of a site, shows its future address, creates it and opens its page. */
export function CreateSiteForm({ onCancel }: { onCancel: () => void }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const router = useRouter();
  const utils = trpc.useUtils();
  const describe = useErrorMessage();
  const [typed, setTyped] = useState('');
  const create = trpc.sites.create.useMutation({
    onSuccess: (site) => {
      utils.sites.get.setData({ organization_id: organization.id, site_id: site.id }, site);
      void utils.sites.list.invalidate();
      return router.navigate({
        to: '/$orgId/sites/$siteId',
        params: { orgId: organization.id, siteId: site.id },
      });
    },
    onError: (error) => {
      const known = readError(error);
      if (known && KIND_OF_CODE[known.code] === 'payment_required') {
        void router.navigate({ to: '/onboarding', search: { return_to: router.latestLocation.href } });
      }
    },
  });

  const suggestion = readError(create.error)?.params.suggestion;
  const change = (name: string) => {
    setTyped(name);
    if (create.error) create.reset();
  };
  const field = useRef<HTMLInputElement>(null);
  /** The button that proposed the name disappears, and the name may be changed further. */
  const take = (name: string) => {
    change(name);
    field.current?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === '' || create.isPending) return;
    create.mutate({ organization_id: organization.id, name: typed });
  };

  const message = describe(create.error);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          ref={field}
          label={t`Site name`}
          description={t`The address is made from it.`}
          value={typed}
          onChange={(event) => change(event.currentTarget.value)}
          maxLength={TYPED_MAX}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
        />
        <AddressPreview typed={typed} onUse={take} />
        {create.error && (
          <ErrorNotice>
            <Trans>Error: {message}</Trans>
            {typeof suggestion === 'string' && <UseName name={suggestion} onUse={take} />}
          </ErrorNotice>
        )}
        <DialogActions
          submit={<Trans>Create site</Trans>}
          onCancel={onCancel}
          isPending={create.isPending}
          isDisabled={typed.trim() === ''}
        />
      </Stack>
    </form>
  );
}

/** The address that the typed name leads to, and why it differs from the name. */
function AddressPreview({ typed, onUse }: { typed: string; onUse: (name: string) => void }) {
  const { sitesHost } = useSettings();
  const sanitized = sanitizeSiteName(typed);
  const readable = readableSiteName(typed);
  const change = nameChangeOf(typed);
  const address = `${sanitized}.${sitesHost}`;
  return (
    <Stack gap="sm" aria-live="polite">
      {sanitized !== '' && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <Trans>
            It will be available at{' '}
            <Text span inherit fw={600} c="var(--mantine-color-text)">
              {address}
            </Text>
          </Trans>
        </Text>
      )}
      {change !== null && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle size={18} aria-hidden />}
          role="note"
          // The name has no spaces to break at.
          style={{ overflowWrap: 'anywhere' }}
        >
          {sanitized === '' ? (
            <Trans>The name must contain at least one letter or digit (a-z, 0-9).</Trans>
          ) : (
            <ChangeWords change={change} sanitized={sanitized} />
          )}
          {readable !== '' && readable !== sanitized && <UseName name={readable} onUse={onUse} />}
        </Alert>
      )}
    </Stack>
  );
}

/** Proposes a name, whole: it may be as long as an address can be, and has no spaces to break at. */
function UseName({ name, onUse }: { name: string; onUse: (name: string) => void }) {
  return (
    <Button
      variant="default"
      size="xs"
      mt="xs"
      display="block"
      h="auto"
      mih="var(--button-height)"
      py={6}
      classNames={{ label: 'whole-name' }}
      onClick={() => onUse(name)}
    >
      <Trans>Use {name}</Trans>
    </Button>
  );
}

/** Why the address differs from the name. */
function ChangeWords({ change, sanitized }: { change: NameChange; sanitized: string }) {
  switch (change) {
    case 'characters':
      return (
        <Trans>
          An address can contain only a-z, 0-9 and hyphens: the name becomes <strong>{sanitized}</strong>.
        </Trans>
      );
    case 'ends':
      return (
        <Trans>
          An address cannot begin or end with a hyphen: the name becomes <strong>{sanitized}</strong>.
        </Trans>
      );
    case 'length':
      return (
        <Trans>
          An address can have at most {SITE_NAME_MAX} characters: the name becomes{' '}
          <strong>{sanitized}</strong>.
        </Trans>
      );
  }
}
