import type { App } from '#server/context.ts';
import type { Language } from '../identity/rules.ts';
import { escapeHtml, toOneLine } from './mail-text.ts';

/** A message, ready to be sent. */
export interface MailMessage {
  subject: string;
  /** Plain text with its line breaks. */
  text: string;
  /** The same as a self-contained page that loads nothing from elsewhere. */
  html: string;
  languages: readonly Language[];
}

/** The content of a message in one language. */
export interface MailSection {
  language: Language;
  paragraphs: readonly string[];
  /** The one action. */
  action?: { label: string; link: string };
  /** Less important notes, below. */
  notes?: readonly string[];
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#215f9b;color:#ffffff;font-weight:600;text-decoration:none';

/**
 * Returns a message as plain text and as HTML with the same content, section by section. Texts are plain;
 * they are escaped here.
 */
export function renderMail(app: App, subject: string, sections: readonly MailSection[]): MailMessage {
  const { productName, publicUrl } = app.config;
  const [first] = sections;
  const title = toOneLine(subject);
  const signature = `${productName} · ${publicUrl}`;
  return {
    subject: title,
    languages: sections.map((section) => section.language),
    text: `${sections.map(toText).join('\n\n—\n\n')}\n\n-- \n${signature}\n`,
    html: [
      `<!doctype html><html lang="${first?.language ?? 'en-CA'}"><head><meta charset="utf-8">`,
      '<meta name="viewport" content="width=device-width">',
      '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
      `<title>${escapeHtml(title)}</title></head>`,
      `<body style="margin:0;padding:32px 16px;${FONT};font-size:16px;line-height:1.5">`,
      '<div style="max-width:560px;margin:0 auto">',
      `<p style="margin:0 0 24px;font-weight:700;font-size:18px">${escapeHtml(productName)}</p>`,
      sections
        .map(toHtml)
        .join('<hr style="border:0;border-top:1px solid #8a9499;opacity:0.5;margin:32px 0">'),
      `<p style="margin:32px 0 0;font-size:13px;opacity:0.7">${escapeHtml(signature)}</p>`,
      '</div></body></html>',
    ].join('\n'),
  };
}

function toText({ paragraphs, action, notes = [] }: MailSection): string {
  return [...paragraphs, ...(action ? [action.link] : []), ...notes].join('\n\n');
}

function toHtml({ language, paragraphs, action, notes = [] }: MailSection): string {
  const link = action ? escapeHtml(action.link) : '';
  return [
    `<div lang="${language}">`,
    ...paragraphs.map((text) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`),
    ...(action
      ? [
          `<p style="margin:24px 0"><a href="${link}" style="${BUTTON}">${escapeHtml(action.label)}</a></p>`,
          // Written out too, for readers who want to see where a button leads.
          `<p style="margin:0 0 16px;font-size:13px;word-break:break-all;opacity:0.7">${link}</p>`,
        ]
      : []),
    ...notes.map((text) => `<p style="margin:0 0 16px;font-size:14px;opacity:0.8">${escapeHtml(text)}</p>`),
    '</div>',
  ].join('\n');
}
