/**
 * The shapes of error bodies (`--errors`). The interface shows none (interface.md, "Errors"), so a client must handle the
 * usual ones, also those of proxies.
 */
import type { Answer } from './answer.ts';
import type { ErrorShape } from './behaviour-options.ts';

/** The answer, with the body of an error in the given shape. */
export function withErrorShape(answer: Answer, shape: ErrorShape): Answer {
  const { status, headers, error } = answer;
  if (error === undefined || shape === 'object') return answer;
  const { code, message } = error;
  const withBody = (type: string, body: string): Answer => ({
    status,
    headers: { ...headers, 'content-type': type },
    body,
  });
  if (shape === 'flat') return withBody('application/json', JSON.stringify({ success: false, message }));
  if (shape === 'problem') {
    const problem = { type: 'about:blank', title: code.replaceAll('_', ' '), status, detail: message };
    return withBody('application/problem+json', JSON.stringify(problem));
  }
  if (shape === 'text') return withBody('text/plain; charset=utf-8', `${message}\n`);
  if (shape === 'html') return withBody('text/html; charset=utf-8', htmlPage(String(status), message));
  const { 'content-type': _none, ...others } = headers;
  return { status, headers: others, body: '' };
}

/** A small page, as proxies and captive portals send it. */
export function htmlPage(title: string, text: string): string {
  const safe = (raw: string): string => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<!doctype html>\n<title>${safe(title)}</title>\n<h1>${safe(title)}</h1>\n<p>${safe(text)}</p>\n`;
}
