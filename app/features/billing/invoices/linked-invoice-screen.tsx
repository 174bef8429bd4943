import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconArrowUpRight, IconFileTypePdf } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { LinkedInvoice } from '#server/services/billing/invoices/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Facts } from '../../../components/facts.tsx';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { isNotFound, isRetriable } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { PublicFrame } from '../../organizations/public-frame.tsx';
import { saveResponse } from '../../usage/download-file.ts';
import { askInvoiceLink, fetchLinkedPdf } from './ask-invoice-link.ts';
import { InvoiceCredits } from './invoice-credits.tsx';
import classes from './invoice-page.module.css';
import { InvoiceTable } from './invoice-table.tsx';
import { InvoiceTitle } from './invoice-title.tsx';

/** The invoice of a link, for whoever has it: nobody needs an account, and none would help. */
export function LinkedInvoiceScreen() {
  const token = useTokenOfAddress();
  const { t } = useLingui();
  const found = useQuery({
    queryKey: ['invoice-link', token],
    queryFn: () => askInvoiceLink('open', token ?? ''),
    retry: (count, error) => count < 2 && isRetriable(error),
    enabled: Boolean(token),
  });
  const isEnded = token === '' || isNotFound(found.error);
  return (
    <PublicFrame visitor={null} hasSignIn={false} width={isEnded ? 'card' : 'page'}>
      {isEnded && <EndedLink />}
      {!isEnded && found.isError && (
        <ErrorNotice onRetry={found.refetch}>
          <Trans>Failed to load invoice</Trans>
        </ErrorNotice>
      )}
      {!isEnded && found.isPending && (
        <div role="status" aria-busy aria-label={t`Loading`}>
          <Skeleton height={36} width="50%" mb="lg" />
          <Skeleton height={220} />
        </div>
      )}
      {token && found.data && <OpenedInvoice token={token} invoice={found.data} />}
    </PublicFrame>
  );
}

/**
 * Returns the fragment of the address, without `#`. Null while the page renders on the server, which never
 * receives it.
 */
function useTokenOfAddress(): string | null {
  const [token, setToken] = useState<string | null>(null);
  useEffect(() => {
    const read = () => setToken(window.location.hash.slice(1));
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return token;
}

function EndedLink() {
  return (
    <Card padding="xl">
      <Stack gap="sm" role="status">
        <Title order={1} size="h2">
          <Trans>This link no longer works</Trans>
        </Title>
        <Text c="dimmed">
          <Trans>
            A link to an invoice works for 90 days, or until the billing email of the organization changes.
            Ask the operator for a new one if you need it, and check that you opened the whole link.
          </Trans>
        </Text>
      </Stack>
    </Card>
  );
}

function OpenedInvoice({ token, invoice }: { token: string; invoice: LinkedInvoice }) {
  const { t, i18n } = useLingui();
  const describe = useErrorMessage();
  const [busy, setBusy] = useState<'pdf' | 'pay' | null>(null);
  const { id, number, buyer, organization_name } = invoice;
  const date = (instant: string) => formatDate(instant, i18n.locale);
  const facts = [
    { name: t`Organization`, value: organization_name },
    { name: t`Invoice date`, value: date(invoice.finalized_at ?? invoice.created_at) },
    ...(invoice.paid_at === null ? [] : [{ name: t`Paid on`, value: date(invoice.paid_at) }]),
    ...(buyer === null ? [] : [{ name: t`Billed to`, value: buyer.company ?? buyer.name }]),
    { name: t`Link works until`, value: date(invoice.expires_at) },
  ];
  const act = async (what: 'pdf' | 'pay', work: () => Promise<void>) => {
    if (busy !== null) return;
    setBusy(what);
    try {
      await work();
    } catch (error) {
      const message = describe(error);
      notifyFailure(
        what === 'pdf'
          ? t`The PDF could not be downloaded: ${message}`
          : t`Payment is unavailable: ${message}`,
      );
    } finally {
      setBusy(null);
    }
  };
  const savePdf = async () => saveResponse(await fetchLinkedPdf(token, i18n.locale));
  const pay = async () => window.location.assign((await askInvoiceLink('pay', token)).url);
  return (
    <Stack gap="lg">
      <div className={classes.head}>
        <InvoiceTitle name={number ?? id} invoice={invoice} />
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconFileTypePdf size={16} stroke={1.6} aria-hidden />}
            onClick={() => void act('pdf', savePdf)}
            loading={busy === 'pdf'}
          >
            <Trans>Download PDF</Trans>
          </Button>
          {invoice.is_payable && (
            <Button
              onClick={() => void act('pay', pay)}
              loading={busy === 'pay'}
              rightSection={<IconArrowUpRight size={16} aria-hidden />}
            >
              <Trans>Pay invoice</Trans>
            </Button>
          )}
        </Group>
      </div>
      <Facts facts={facts} />
      <InvoiceTable invoice={invoice} organizationId={null} />
      <InvoiceCredits credits={invoice.credits} />
    </Stack>
  );
}
