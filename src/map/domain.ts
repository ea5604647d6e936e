/**
 * `as: domain`: the registrable domain of a URL, host name or e-mail address, in lower-case ASCII (RFC 5891), according to the
 * public suffix list of tldts. Its private part applies: `acme.myshopify.com` is Acme's domain, not Shopify's.
 *
 * Of several, the first counts. Invalid: an IP address, a single word, a public suffix, and a name under a top-level domain that does not exist
 * ("node.jss", "1.5"). An e-mail address at a consumer provider ({@link isFreeMail}) identifies no company; a web address there does.
 */
import { getHostname, parse } from 'tldts';
import { scalarText } from '../lib/exact-number.ts';
import { parseUrl } from '../lib/url.ts';
import { type Convert, FreeMail, TransformError } from './column-values.ts';

const EXPECTED = 'a URL, host name or e-mail address with a domain such as acme.com';

/** The options of tldts that are used. */
interface ParseOptions {
  readonly detectSpecialUse: boolean;
  readonly allowPrivateDomains?: boolean;
  readonly extractHostname?: boolean;
  readonly validateHostname?: boolean;
  readonly detectIp?: boolean;
}

/** The options with the private part of the public suffix list, and without it. */
interface Options {
  readonly withPrivate: ParseOptions;
  readonly withPublic: ParseOptions;
}

const CHECKED: Options = {
  withPrivate: { detectSpecialUse: true, allowPrivateDomains: true },
  withPublic: { detectSpecialUse: true },
};

/** For a text that is known to be a host, and no IP address. */
const KNOWN_HOST = { extractHostname: false, validateHostname: false, detectIp: false } as const;
const UNCHECKED: Options = {
  withPrivate: { ...CHECKED.withPrivate, ...KNOWN_HOST },
  withPublic: { ...CHECKED.withPublic, ...KNOWN_HOST },
};

const LABEL_END = '(?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST = `(?:[a-z0-9]${LABEL_END}\\.)+[a-z]${LABEL_END}`;
/** URLs, hosts and addresses of the common form: their host needs no checks. Finding it otherwise takes longer than the rest. */
const COMMON = new RegExp(
  `^(?:https?://(${HOST})(?:[/?#]|$)|(${HOST})(?:[/?#][^:]*)?$|[a-z0-9_+-]+(?:\\.[a-z0-9_+-]+)*@(${HOST})$)`,
);
/** Between the domains of a list. Also allowed in a URL, so a text counts as a list only if all its parts have domains. */
const SEPARATOR = /[,;|\n]/u;
/** Longest list of domains, in characters. */
const MAX_LIST = 1000;
/** RFC 1035 allows one more, for the trailing dot. */
const MAX_HOST = 253;

export const toDomain: Convert = (value) => {
  const text = scalarText(value);
  if (text === undefined) return new TransformError('type', value, EXPECTED);
  const first = firstOfList(text);
  const domain = domainIn(first);
  if (domain === undefined) return new TransformError('domain', value, EXPECTED);
  return isAddress(first) && isFreeMail(domain) ? new FreeMail(first, domain) : domain;
};

/** The first text of a list in which each has a domain: `acme.com; acme.de`. Else the whole text. */
function firstOfList(text: string): string {
  if (text.length > MAX_LIST || !SEPARATOR.test(text)) return text;
  const parts = text
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.every((part) => domainIn(part) !== undefined) ? (parts[0] ?? text) : text;
}

function domainIn(text: string): string | undefined {
  const common = commonHost(text);
  if (common !== undefined) return domainOf(common, UNCHECKED);
  const found = getHostname(text);
  if (found === null) return undefined;
  // Without its port or in lower case, it may be common.
  const bare = commonHost(found);
  if (bare !== undefined) return domainOf(bare, UNCHECKED);
  // The URL standard's parser converts IDN, full-width letters and case.
  const host = parseUrl(`http://${found}/`)?.hostname;
  return host === undefined ? undefined : domainOf(host, CHECKED);
}

function commonHost(text: string): string | undefined {
  const [, ofUrl, bare, ofAddress] = COMMON.exec(text) ?? [];
  const host = ofUrl ?? bare ?? ofAddress;
  return host === undefined || host.length > MAX_HOST || host.includes('xn--') ? undefined : host;
}

/** An e-mail address. In a URL an "@" may separate a user from the host, or be part of a path or a query. */
function isAddress(text: string): boolean {
  return text.includes('@') && /^(?:mailto:)?[^\s/?#@:]+@[^\s/?#@:]+$/i.test(text);
}

function domainOf(host: string, { withPrivate, withPublic }: Options): string | undefined {
  const bare = host.startsWith('www.') ? host.slice('www.'.length) : host;
  // Without "www." first, then with private suffixes as public ones (github.io), then as given (www.com).
  return registrable(bare, withPrivate) ?? registrable(bare, withPublic) ?? registrable(host, withPublic);
}

function registrable(host: string, options: ParseOptions): string | undefined {
  const result = parse(host, options);
  const known = result.isIcann === true || result.isPrivate === true || result.isSpecialUse === true;
  return known && result.domain !== null ? result.domain : undefined;
}

/** Under any top-level domain: hotmail.co.uk, yahoo.com.br. */
const ANY_SUFFIX: ReadonlySet<string> = new Set(['fastmail', 'gmx', 'hotmail', 'outlook', 'posteo', 'yahoo']);

/**
 * The large providers of each country, completed from the public repository descope/go-free-email-providers. Its list is not used
 * as a whole, because it includes companies and cities (alibaba.com, telstra.com, berlin.de), and a wrong entry discards a
 * company's domain.
 */
const HOSTS: ReadonlySet<string> = new Set(
  `
  gmail.com googlemail.com
  live.com live.ca live.cl live.co.uk live.com.ar live.com.au live.com.mx live.com.pt live.de live.dk live.fr
  live.it live.nl live.no live.se msn.com passport.com windowslive.com
  ymail.com rocketmail.com myyahoo.com aol.com aol.co.uk aol.de aol.fr aim.com verizon.net
  icloud.com me.com mac.com
  proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tuta.io tuta.com tutamail.com
  zoho.com zohomail.com zohomail.eu fastmail.com fastmail.fm hushmail.com mailfence.com startmail.com hey.com
  mail.com email.com usa.com europe.com consultant.com engineer.com inbox.com lycos.com excite.com juno.com
  netzero.net
  comcast.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net optonline.net roadrunner.com
  rr.com windstream.net frontier.com frontiernet.net centurylink.net shaw.ca rogers.com sympatico.ca telus.net
  videotron.ca
  btinternet.com btopenworld.com sky.com talktalk.net virginmedia.com blueyonder.co.uk ntlworld.com
  web.de t-online.de freenet.de arcor.de online.de email.de mail.de posteo.de posteo.net mailbox.org
  bluewin.ch hispeed.ch aon.at chello.at
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr numericable.fr
  libero.it virgilio.it tiscali.it alice.it tin.it tim.it inwind.it iol.it
  telefonica.net terra.es ono.com
  sapo.pt iol.pt
  ziggo.nl kpnmail.nl planet.nl hetnet.nl home.nl xs4all.nl upcmail.nl
  telenet.be skynet.be proximus.be
  telia.com bredband.net online.no mail.dk
  wp.pl o2.pl onet.pl interia.pl op.pl gazeta.pl
  seznam.cz email.cz centrum.cz post.cz atlas.cz centrum.sk azet.sk
  freemail.hu citromail.hu abv.bg ukr.net i.ua
  mail.ru bk.ru list.ru inbox.ru internet.ru rambler.ru yandex.ru yandex.com yandex.by yandex.kz ya.ru
  uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com
  rediffmail.com sify.com indiatimes.com
  qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com 139.com 189.cn
  naver.com daum.net hanmail.net kakao.com nate.com
  docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com
  bigpond.com bigpond.net.au optusnet.com.au xtra.co.nz
  walla.co.il walla.com mweb.co.za
  live.at live.be live.cn live.co.za live.com.sg live.ie live.in live.jp live.ru msn.cn msn.nl duck.com hush.com
  runbox.com operamail.com openmailbox.org my.com safe-mail.net
  adelphia.net ameritech.net bell.net bresnan.net cableone.net centurytel.net compuserve.com cs.com embarqmail.com
  fuse.net hawaiiantel.net hughes.net mchsi.com mindspring.com netscape.net netzero.com pacbell.net peoplepc.com
  prodigy.net ptd.net q.com qwest.net rcn.com snet.net swbell.net tds.net
  eircom.net freeserve.co.uk freeuk.com lycos.co.uk talk21.com tiscali.co.uk
  caramail.com netcourrier.com freesurf.fr tiscali.be pandora.be
  email.it interfree.it katamail.com lycos.it supereva.it latinmail.com lycos.es teleline.es
  mail.pt oninet.pt portugalmail.pt telepac.pt
  casema.nl chello.nl online.nl quicknet.nl scarlet.nl tele2.nl telfort.nl
  elisanet.fi kolumbus.fi luukku.com suomi24.fi jubiimail.dk spray.se
  poczta.fm onet.eu sweb.cz post.sk mail.bg mail.ee pochta.ru bigmir.net
  188.com 21cn.com tom.com singnet.com.sg korea.com terra.cl terra.com.ar arnet.com.ar
  bigpond.com.au iinet.net.au iprimus.com.au ozemail.com.au clear.net.nz
  `
    .trim()
    .split(/\s+/u),
);

/**
 * Whether a domain is a consumer e-mail provider's: an address there does not identify a company. Only for e-mail addresses,
 * because some providers are also companies with signals (orange.fr).
 *
 * @param domain registrable, in lower-case ASCII
 */
export function isFreeMail(domain: string): boolean {
  const dot = domain.indexOf('.');
  return HOSTS.has(domain) || (dot > 0 && ANY_SUFFIX.has(domain.slice(0, dot)));
}
