import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { LimitName } from '#server/services/limits/rules.ts';
import type { OrganizationDetail } from '#server/services/operator/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SavedMark } from '../../../components/forms/saved-mark.tsx';
import { useSaved } from '../../../components/forms/use-saved.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { LimitAmount } from '../../limits/limit-amount.tsx';
import { LIMIT_WORDS } from '../../limits/limit-words.ts';

const GB = 1024 ** 3;

/** Amounts of bytes are typed in GB, everything else as a number. */
const unitOf = (name: LimitName) => (name === 'stored_bytes' || name === 'bucket_bytes' ? GB : 1);

/** The limits of the organization; an empty field stands for the installation's default. */
export function OrganizationLimits(props: { organization: OrganizationDetail; mayChange: boolean }) {
  const { i18n, t } = useLingui();
  const { organization, mayChange } = props;
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const set = trpc.operator.setLimits.useMutation();
  const [typed, setTyped] = useState<Partial<Record<LimitName, string>>>({});
  const [isSaved, showSaved] = useSaved();
  const wrong = Object.values(typed).some((text) => !/^\d{0,15}$/.test(text.trim()));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (wrong || set.isPending) return;
    const changed = organization.limits
      .filter(({ name }) => typed[name] !== undefined)
      .map(({ name }) => {
        const text = typed[name]?.trim() ?? '';
        return [name, text === '' ? null : Number(text) * unitOf(name)] as const;
      });
    try {
      await set.mutateAsync({ organization_id: organization.id, limits: Object.fromEntries(changed) });
    } catch {
      // Shown from set.error.
      return;
    }
    setTyped({});
    showSaved();
    await utils.operator.organization.invalidate();
  };
  return (
    <form onSubmit={submit} noValidate aria-label={t`Limits`}>
      <Stack gap="xs">
        <Text size="sm" fw={500}>
          <Trans>Limits</Trans>
        </Text>
        {organization.limits.map((use) => {
          const { name } = use;
          const isOwn = use.limit !== use.default_limit;
          const stored = isOwn ? String(use.limit / unitOf(name)) : '';
          const title = i18n._(LIMIT_WORDS[name].title);
          const text = typed[name] ?? stored;
          return (
            <Group key={name} justify="space-between" gap="sm">
              <div style={{ flex: '1 1 12rem', minWidth: 0 }}>
                <Text size="sm">{title}</Text>
                <Text size="xs" c="dimmed">
                  <LimitAmount use={use} />
                </Text>
              </div>
              {mayChange && (
                <TextInput
                  size="xs"
                  w="9rem"
                  inputMode="numeric"
                  aria-label={unitOf(name) === GB ? t`${title} in GB` : title}
                  placeholder={i18n.number(use.default_limit / unitOf(name))}
                  value={text}
                  error={/^\d{0,15}$/.test((typed[name] ?? '').trim()) ? undefined : t`Enter a whole number`}
                  rightSection={
                    unitOf(name) === GB && (
                      <Text size="xs" c="dimmed">
                        <Trans>GB</Trans>
                      </Text>
                    )
                  }
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    setTyped((before) => ({ ...before, [name]: value }));
                  }}
                />
              )}
            </Group>
          );
        })}
        {set.error && <ErrorNotice>{describe(set.error)}</ErrorNotice>}
        {mayChange && (
          <Group>
            <Button
              type="submit"
              size="xs"
              variant="default"
              disabled={Object.keys(typed).length === 0 || wrong}
              loading={set.isPending}
            >
              <Trans>Save limits</Trans>
            </Button>
            <SavedMark isShown={isSaved}>
              <Trans>Limits saved</Trans>
            </SavedMark>
          </Group>
        )}
      </Stack>
    </form>
  );
}
