export const HELP = `portage: deploy folders to Portage

Usage
  portage deploy FOLDER --site SITE [--message TEXT] [--no-publish] [--json]
  portage sites list [--json]
  portage versions list --site SITE [--limit N] [--json]
  portage rollback --site SITE [--version NUMBER | ID | previous] [--json]
  portage open --site SITE
  portage help
  portage --version

SITE is a site's address (blog), name or id.

Environment
  PORTAGE_URL         the address of the console (default http://localhost:3000)
  PORTAGE_PUBLIC_KEY  the credential's public key, from the console's Credentials page
  PORTAGE_SECRET_KEY  its secret key
  PORTAGE_ID_TOKEN    in place of the keys: the identity token of a CI run that the site trusts; on GitHub Actions and
                      Forgejo Actions it is requested automatically
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                      the proxy to the server, and the hosts that are reached without it

Exit codes
  0  done
  1  the server failed, or a file changed while it was being deployed
  2  the command line or the folder is wrong
  3  the credential is missing, wrong or expired
  4  refused: unknown site, out of scope, a limit, a conflict
  5  the server could not be reached
  130, 143
     interrupted by SIGINT or SIGTERM

A deploy uploads only content that is new to your organization. If it is interrupted, run it again to continue.
`;
