import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { KEEP_DAYS_MAX, KEEP_VERSIONS_MAX } from '#server/services/sites/rules.ts';
import { keepDaysSchema, keepVersionsSchema, type Site } from '#server/services/sites/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SavedMark } from '../../../components/forms/saved-mark.tsx';
import { useSaved } from '../../../components/forms/use-saved.ts';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { useSiteParams } from '../use-site-params.ts';

/** How long a number must stay unchanged before the server is asked what it would mean. */
const DEBOUNCE_MS = 300;

/** How many old versions the site keeps, with what saving would remove now. */
export function RetentionCard({ site }: { site: Site }) {
  const { t } = useLingui();
  const ofSite = useSiteParams();
  const reason = usePermissionReason()('site.update');
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const [isSaved, showSaved, hideSaved] = useSaved();
  const [versions, setVersions] = useState<string | number>(site.keep_versions);
  const [days, setDays] = useState<string | number>(site.keep_days);
  const update = trpc.sites.update.useMutation({
    onSuccess: (updated) => {
      utils.sites.get.setData(ofSite, updated);
      showSaved();
    },
  });
  useNoticeDeletion(update.error);
  const keepVersions = keepVersionsSchema.safeParse(versions === '' ? undefined : versions);
  const keepDays = keepDaysSchema.safeParse(days === '' ? undefined : days);
  const chosen =
    keepVersions.success && keepDays.success
      ? { keep_versions: keepVersions.data, keep_days: keepDays.data }
      : null;
  const isChanged =
    chosen !== null && (chosen.keep_versions !== site.keep_versions || chosen.keep_days !== site.keep_days);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    hideSaved();
    if (chosen && isChanged) update.mutate({ ...ofSite, ...chosen });
  };
  return (
    <SectionCard
      title={<Trans>Old versions</Trans>}
      description={
        <Trans>
          A version is kept while it is among the newest, or recent enough. The current one always stays.
        </Trans>
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <NumberInput
              label={t`Newest versions kept`}
              min={1}
              max={KEEP_VERSIONS_MAX}
              allowDecimal={false}
              value={versions}
              onChange={setVersions}
              disabled={reason !== null}
              error={keepVersions.success ? null : t`Enter a whole number from 1 to ${KEEP_VERSIONS_MAX}.`}
            />
            <NumberInput
              label={t`Days kept`}
              min={0}
              max={KEEP_DAYS_MAX}
              allowDecimal={false}
              value={days}
              onChange={setDays}
              disabled={reason !== null}
              error={keepDays.success ? null : t`Enter a whole number from 0 to ${KEEP_DAYS_MAX}.`}
            />
          </Group>
          {isChanged && chosen && <RemovalPreview chosen={chosen} />}
          {update.error && <ErrorNotice>{describe(update.error)}</ErrorNotice>}
          {reason ? (
            <Text size="xs" c="dimmed">
              {reason}
            </Text>
          ) : (
            <Group>
              <Button type="submit" variant="default" disabled={!isChanged} loading={update.isPending}>
                <Trans>Save</Trans>
              </Button>
              <SavedMark isShown={isSaved}>
                <Trans>Settings saved</Trans>
              </SavedMark>
            </Group>
          )}
        </Stack>
      </form>
    </SectionCard>
  );
}

/** Reads the site again if an error says that it was deleted: the page then says so itself. */
function useNoticeDeletion(error: unknown): void {
  const { organization_id, site_id } = useSiteParams();
  const utils = trpc.useUtils();
  const isDeleted = isNotFound(error);
  useEffect(() => {
    if (isDeleted) void utils.sites.get.invalidate({ organization_id, site_id });
  }, [isDeleted, utils, organization_id, site_id]);
}

/** What saving would remove, in a line that is announced when it changes. */
function RemovalPreview({ chosen }: { chosen: { keep_versions: number; keep_days: number } }) {
  const { i18n } = useLingui();
  const ofSite = useSiteParams();
  const [keep_versions] = useDebouncedValue(chosen.keep_versions, DEBOUNCE_MS);
  const [keep_days] = useDebouncedValue(chosen.keep_days, DEBOUNCE_MS);
  const preview = trpc.deployments.previewRetention.useQuery(
    { ...ofSite, keep_versions, keep_days },
    { placeholderData: keepPreviousData },
  );
  useNoticeDeletion(preview.error);
  if (preview.isError) {
    return (
      <ErrorNotice onRetry={preview.refetch}>
        <Trans>Could not check what would be removed.</Trans>
      </ErrorNotice>
    );
  }
  const { versions, bytes } = preview.data ?? { versions: null, bytes: null };
  const size = bytes === null ? null : formatBytes(bytes, i18n.locale);
  return (
    <Text size="sm" role="status">
      {versions === null && <Trans>Checking what would be removed…</Trans>}
      {versions === 0 && <Trans>Nothing would be removed now.</Trans>}
      {versions !== null && versions > 0 && size === null && (
        <Plural value={versions} one="# version would be removed." other="# versions would be removed." />
      )}
      {versions !== null && versions > 0 && size !== null && (
        <Plural
          value={versions}
          one={`# version would be removed, about ${size}.`}
          other={`# versions would be removed, about ${size}.`}
        />
      )}
    </Text>
  );
}
