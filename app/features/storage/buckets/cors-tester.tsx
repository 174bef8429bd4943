import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Fieldset, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { CONSOLE_CORS_METHODS, isPageOrigin } from '#server/services/storage/rules.ts';
import type { Bucket, CorsCheck } from '#server/services/storage/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import classes from './cors-tester.module.css';

type Method = (typeof CONSOLE_CORS_METHODS)[number];

/** Opens the test of the CORS rules. */
export function CorsTester({ bucket }: { bucket: Bucket }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <CorsTest bucket={bucket} />;
  return (
    <Button variant="default" size="compact-sm" onClick={() => setOpen(true)} className={classes.button}>
      <Trans>Test CORS</Trans>
    </Button>
  );
}

/** Asks the service whether a page's script may send a request to the bucket, by the saved rules. */
function CorsTest({ bucket }: { bucket: Bucket }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const [origin, setOrigin] = useState('');
  const [method, setMethod] = useState<Method>('GET');
  const [headers, setHeaders] = useState('');
  const [asked, setAsked] = useState<{ origin: string; method: Method; headers: string } | null>(null);
  const [isWrong, setWrong] = useState(false);
  const originField = useRef<HTMLInputElement>(null);
  const check = trpc.storage.checkCors.useQuery(
    {
      organization_id: organization.id,
      bucket_id: bucket.id,
      ...(asked ?? { origin: '', method: 'GET', headers: '' }),
    },
    { enabled: asked !== null, staleTime: 0, retry: false },
  );
  const typed = { origin: origin.trim(), method, headers: headers.trim() };
  // A verdict on another request than the fields show would be read as one on theirs.
  const isAsked = JSON.stringify(typed) === JSON.stringify(asked);
  const isAnswered = isAsked && !check.isFetching;
  const test = () => {
    setWrong(!isPageOrigin(typed.origin));
    if (!isPageOrigin(typed.origin)) return originField.current?.focus();
    if (isAsked) void check.refetch();
    else setAsked(typed);
  };
  return (
    <Fieldset legend={<Trans>Test CORS</Trans>}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          <Trans>Whether a script of a website may send this request, according to the saved rules.</Trans>
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            ref={originField}
            label={t`Origin of the website`}
            placeholder="https://example.ca"
            autoFocus
            value={origin}
            onChange={(event) => {
              setWrong(false);
              setOrigin(event.currentTarget.value);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
              // Enter runs the test and does not submit the surrounding form.
              event.preventDefault();
              test();
            }}
            error={isWrong ? t`Enter an origin such as https://example.ca, without a path.` : null}
            maxLength={300}
            inputMode="url"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
          <NativeSelect
            label={t`Method`}
            data={[...CONSOLE_CORS_METHODS]}
            value={method}
            onChange={(event) => setMethod(event.currentTarget.value as Method)}
          />
        </SimpleGrid>
        <TextInput
          label={t`Request headers`}
          description={t`Separated by commas; optional.`}
          placeholder="content-type, x-amz-meta-author"
          value={headers}
          onChange={(event) => setHeaders(event.currentTarget.value)}
          maxLength={1_000}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Button variant="default" onClick={test} loading={check.isFetching} className={classes.button}>
          <Trans>Test</Trans>
        </Button>
        <div role="status">{check.data && isAnswered && <Verdict check={check.data} />}</div>
        {check.error && isAnswered && <ErrorNotice>{describe(check.error)}</ErrorNotice>}
      </Stack>
    </Fieldset>
  );
}

function Verdict({ check }: { check: CorsCheck }) {
  if (!check.is_allowed) {
    return (
      <Alert color="red" title={<Trans>The browser refuses it</Trans>}>
        <RefusalWords part={check.refused_part} />
      </Alert>
    );
  }
  const lines = Object.entries(check.answer_headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Alert color="green" title={<Trans>The browser allows it</Trans>}>
      <pre className={classes.headers}>{lines.join('\n')}</pre>
    </Alert>
  );
}

function RefusalWords({ part }: { part: CorsCheck['refused_part'] }) {
  switch (part) {
    case 'origin':
      return <Trans>No rule allows this origin.</Trans>;
    case 'method':
      return <Trans>The origin is allowed, but not with this method.</Trans>;
    case 'headers':
      return <Trans>The origin and the method are allowed, but not all of these headers.</Trans>;
    default:
      return <Trans>CORS is off: no website may use the bucket.</Trans>;
  }
}
