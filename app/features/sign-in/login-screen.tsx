import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ERROR_CODES, type ErrorCode } from '#server/error-codes.ts';
import { ERROR_MESSAGES } from '../../i18n/error-messages.ts';
import { useSettings } from '../../use-settings.ts';
import { BrandMark } from '../frame/brand-mark.tsx';
import classes from './login-screen.module.css';

/** The signed-out screen: welcome, one button, a way to register, and the terms. */
export function LoginScreen({ returnTo, error }: { returnTo?: string; error?: string }) {
  const { i18n, t } = useLingui();
  const { productName, links } = useSettings();
  const search = returnTo ? `?return_to=${encodeURIComponent(returnTo)}` : '';
  return (
    <div className={classes.screen}>
      <Stack component="main" className={classes.panel} gap="lg">
        <BrandMark size={40} />
        <Stack gap={6}>
          <Title order={1}>
            <Trans>Welcome to {productName}</Trans>
          </Title>
          <Text c="dimmed">
            <Trans>Sign in to deploy sites, see them live, and roll back in one click.</Trans>
          </Text>
        </Stack>
        {error && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
            {isErrorCode(error) ? i18n._(ERROR_MESSAGES[error]) : t`Authentication check failed`}
          </Alert>
        )}
        <Button component="a" href={`/auth/login${search}`} size="md" fullWidth>
          <Trans>Sign in</Trans>
        </Button>
        <Text size="sm" c="dimmed">
          <Trans>
            New here? <Anchor href={links.signUp}>Create an account</Anchor>
          </Trans>
        </Text>
        <Group gap="md" component="footer">
          <LegalLink href={links.terms} label={t`Terms of service`} />
          <LegalLink href={links.privacy} label={t`Privacy policy`} />
          <LegalLink href={links.acceptableUse} label={t`Acceptable use policy`} />
        </Group>
      </Stack>
    </div>
  );
}

function LegalLink({ href, label }: { href: string; label: string }) {
  return (
    <Anchor href={href} size="xs" c="dimmed">
      {label}
    </Anchor>
  );
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
