// The stores of commit 8c2e35a329490cd5c1aabae6e309ee75cdb18d3d, made by esbuild 0.28.2: npm run versions -w @sluice/test-kit
var Xg=Object.create;var hr=Object.defineProperty;var ek=Object.getOwnPropertyDescriptor;var tk=Object.getOwnPropertyNames;var nk=Object.getPrototypeOf,rk=Object.prototype.hasOwnProperty;var o=(n,e)=>hr(n,"name",{value:e,configurable:!0});var ik=(n,e)=>{for(var t in e)hr(n,t,{get:e[t],enumerable:!0})},Ou=(n,e,t,r)=>{if(e&&typeof e=="object"||typeof e=="function")for(let i of tk(e))!rk.call(n,i)&&i!==t&&hr(n,i,{get:()=>e[i],enumerable:!(r=ek(e,i))||r.enumerable});return n};var Wa=(n,e,t)=>(t=n!=null?Xg(nk(n)):{},Ou(e||!n||!n.__esModule?hr(t,"default",{value:n,enumerable:!0}):t,n)),sk=n=>Ou(hr({},"__esModule",{value:!0}),n);var mC={};ik(mC,{LeasedStore:()=>hi,ManualClock:()=>ia,PostgresStore:()=>bi,RedisStore:()=>ki,SyncedStore:()=>pi,concurrency:()=>tl,createLimiter:()=>iu,fixedWindow:()=>Bt,leakyBucket:()=>Ya,slidingWindow:()=>Dr,slidingWindowCounter:()=>Yl,slidingWindowLog:()=>Hl,tokenBucket:()=>br});module.exports=sk(mC);var g=class extends Error{static{o(this,"SluiceError")}name="SluiceError";code;constructor(e,t,r={}){super(`${t} (${e})`,"cause"in r?{cause:r.cause}:{}),this.code=e,r.path!==void 0&&(this.path=r.path),r.atMs!==void 0&&(this.atMs=r.atMs),r.storeFailure!==void 0&&(this.storeFailure=r.storeFailure),r.retryAfterMs!==void 0&&(this.retryAfterMs=r.retryAfterMs),"received"in r&&ok(r.received)&&Object.defineProperty(this,"received",{value:r.received,configurable:!0})}};function ok(n){return typeof n=="string"?n.length<=256:n===null||typeof n!="object"&&typeof n!="function"}o(ok,"isKept");function $(n){return n instanceof g&&n.code!=="SLUICE_STORE"}o($,"isMistake");function p(n,e,t){return new g("SLUICE_OPTION",`${n} ${e}, got ${G(t)}`,{path:n,received:t})}o(p,"optionError");function G(n){return typeof n=="string"?n.length>60?`${JSON.stringify(n.slice(0,60))}\u2026`:JSON.stringify(n):Object.is(n,-0)?"-0":typeof n=="function"?"a function":Array.isArray(n)?n.length===0?"an empty array":"an array":typeof n=="object"&&n!==null?"an object":String(n)}o(G,"show");var Fe={d:864e5,h:36e5,m:6e4,s:1e3,ms:1},xu=/^\d+$/,ak=new Map(Object.entries({"w wk wks week weeks":7*Fe.d,"d day days":Fe.d,"h hr hrs hour hours":Fe.h,"m min mins minute minutes":Fe.m,"s sec secs second seconds":Fe.s,"ms msec msecs millisecond milliseconds":Fe.ms}).flatMap(([n,e])=>n.split(" ").map(t=>[t,e]))),Ae=36525*Fe.d;function R(n,e,t=1){let r=typeof n=="string"?uk(n):n;if(Ru(r,t))return r;throw dk(n,e,t)}o(R,"durationMs");function lk(n,e=1){let t=`must be a duration of at least ${e} ms, in whole milliseconds or with the unit ms, s, m, h or d as in '15m', at most 100 years`,r=typeof n=="string"?ck(n):void 0;return Ru(r,e)?`${t}: use ${xu.test(String(n).trim())?r:`'${yr(r)}'`}`:t}o(lk,"durationRule");function dk(n,e,t){return p(e,lk(n,t),n)}o(dk,"durationError");function Ru(n,e){return Number.isSafeInteger(n)&&n>=e&&n<=Ae}o(Ru,"isLength");var pr=2147483647;function lt(n,e,t=1){let r=R(n,e);return Si(r,e,t,n),r}o(lt,"timerMs");function Si(n,e,t=1,r=n){let i=Math.floor(pr/t);if(n<=i)return;let s=Math.floor(i/Fe.d);throw p(e,`must be at most ${i} ms (${s} days), the longest time that a timer takes`,r)}o(Si,"checkTimer");function yr(n){let[e,t]=Object.entries(Fe).find(([,r])=>n%r===0)??["ms",1];return`${n/t}${e}`}o(yr,"durationText");function uk(n){let e=/^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(n);if(!e)return;let t=Number(e[1])*Fe[e[2]];return Math.abs(t-Math.round(t))<1e-6?Math.round(t):t}o(uk,"textMs");function ck(n){let e=n.trim();if(xu.test(e))return Number(e);if(e.length>64||!/^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/i.test(e))return;let t=0;for(let[,r,i]of e.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi))t+=Number(r)*(i==="M"?Number.NaN:ak.get(i.toLowerCase())??Number.NaN);return t}o(ck,"meantMs");function Tu(n,e){let[t,r]=[void 0,Math.max(1,Math.floor(n.length/3))+1];if(!(n.length>128)){for(let i of e){if(Math.abs(i.length-n.length)>=r)continue;let s=fk(n.toLowerCase(),i.toLowerCase());s<r&&([t,r]=[i,s])}return t}}o(Tu,"nearest");function fk(n,e){let t=[],r=Array.from({length:e.length+1},(i,s)=>s);for(let i=1;i<=n.length;i+=1){let s=[i];for(let a=1;a<=e.length;a+=1){let l=n[i-1]===e[a-1]?0:1,d=Math.min(r[a-1]+l,r[a]+1,s[a-1]+1);i>1&&a>1&&n[i-1]===e[a-2]&&n[i-2]===e[a-1]&&(d=Math.min(d,t[a-2]+1)),s.push(d)}[t,r]=[r,s]}return r[e.length]}o(fk,"editDistance");var mk=new Map(Object.entries({windowMs:["window"],windowSizeMs:["window"],windowSize:["window"],timeWindow:["window"],interval:["window"],duration:["window"],ttl:["window"],max:["limit","maxKeys"],maxInInterval:["limit"],maxRequests:["limit"],points:["limit"],requests:["limit"],threshold:["limit"],throttlers:["limits"],tokens:["capacity"],bucketSize:["capacity"],burst:["capacity"],refill:["refillRate"],rate:["refillRate"],fillRate:["refillRate"],leak:["leakRate"],refillRate:["leakRate"],leakRate:["refillRate"],blockMs:["blockDuration"],exponentialBackoff:["blockDuration"],continueExceeding:["countRejected"],leaseMs:["lease"],key:["keyGenerator"],getTracker:["keyGenerator"],generateKey:["keyGenerator"],identifier:["name"],groupId:["name"],weight:["cost"],consumePerRequest:["cost"],skipIf:["skip"],ignoreUserAgents:["skip"],allowlist:["allowList"],whitelist:["allowList"],denylist:["denyList"],blacklist:["denyList"],shadow:["enforce"],dryRun:["enforce"],handler:["onLimitReached"],onExceeded:["onLimitReached"],onBanReach:["onLimitReached"],onExceeding:["onDecision"],errorMessage:["message"],errorResponseBuilder:["message"],headers:["standardHeaders"],setHeaders:["standardHeaders"],addHeaders:["legacyHeaders"],addHeadersOnExceeding:["legacyHeaders"],storage:["store"],cache:["maxKeys"],redis:["client"],sendCommand:["client"],sendCommandCluster:["client"],storeClient:["client"],keyPrefix:["prefix","name"],nameSpace:["prefix"],namespace:["prefix","name"],prefix:["name"],timeoutMs:["timeout"]})),hk=12,Lu="choose limit: leakyBucket({ capacity, leakRate })",_a="use slowDown: { after, by, upTo }",vi="use store: new RedisStore({ client })",Iu="leave it out, because a remote store already remembers refusals in this process",pk=new Map(Object.entries({passOnStoreError:["onStoreError","use onStoreError: 'allow'"],skipOnError:["onStoreError","use onStoreError: 'allow'"],insuranceLimiter:["onStoreError","use onStoreError: 'local', which counts in this process"],logger:["onStoreError","listen to process.on('warning', ...) and subscribe('sluice:store-error', ...)"],onExceeding:["onStoreError","listen to subscribe('sluice:decision', ...)"],ipv6Subnet:["standardHeaders","use keyGenerator: byIp({ ipv6Subnet })"],ipv6SubnetPrefix:["standardHeaders","use keyGenerator: byIp({ ipv6Subnet })"],requestPropertyName:["standardHeaders","the decision is always in the property rateLimit of the request"],validate:["standardHeaders","leave it out, because wrong options throw errors, and dangerous ones cause warnings"],enableDraftSpec:["standardHeaders","use standardHeaders: 'draft-6', legacyHeaders: false"],draft_polli_ratelimit_headers:["standardHeaders","use standardHeaders: 'draft-6'"],execEvenly:["keyGenerator",Lu],execEvenlyMinDelayMs:["keyGenerator",Lu],delayAfter:["slowDown",_a],delayMs:["slowDown",_a],maxDelayMs:["slowDown",_a],minDifference:["limits","add a limit of one, limits: [{ limit, window }, { limit: 1, window }]"],ban:["limits","add a limit to limits: slidingWindow({ limit, window, countRejected: true, blockDuration })"],cache:["store","use store: new MemoryStore({ maxKeys })"],redis:["store",vi],sendCommand:["store",vi],sendCommandCluster:["store",vi],storeClient:["store",vi],nameSpace:["store","use store: new RedisStore({ client, prefix })"],inMemoryBlockOnConsumed:["store",Iu],inMemoryBlockDuration:["store",Iu]})),yk=new Map(Object.entries({blockDuration:"slidingWindow({ limit, window, blockDuration })",countRejected:"slidingWindow({ limit, window, countRejected })",buckets:"slidingWindow({ limit, window, buckets })",align:"fixedWindow({ limit, window, align })",capacity:"tokenBucket({ capacity, refillRate })",refillRate:"tokenBucket({ capacity, refillRate })",refillInterval:"tokenBucket({ capacity, refillRate, refillInterval })",keepFor:"tokenBucket({ capacity, refillRate: 0, keepFor })",leakRate:"leakyBucket({ capacity, leakRate })",lease:"concurrency({ limit, lease })"}));function Pu(n,e,t="options.md of @sluice/core"){let r=mk.get(n)??[],i=r.find(d=>e.includes(d));if(i!==void 0)return`use ${i}`;let[s,a]=pk.get(n)??[];if(s!==void 0&&e.includes(s))return a;if(e.includes("keyGenerator")){if(n==="algorithm")return"choose limit: slidingWindow({ ... }), fixedWindow({ ... }), tokenBucket({ ... })";let d=[n,...r].map(u=>yk.get(u)).find(u=>u!==void 0);if(d)return`it is an option of a Limit, use limit: ${d}`}let l=Tu(n,e);return l!==void 0?`use ${l}`:e.length>hk?`the page ${t} lists the options`:`the options are ${e.join(", ")}`}o(Pu,"suggestionFor");function Nu(n,e){let{on:t,call:r}=n;return typeof t!="function"&&typeof r!="function"?void 0:e.includes("client")?"not a client: pass { client }":e.includes("standardHeaders")&&"headers"in n?"not a request: call the function, app.use(rateLimit({ ... }))":void 0}o(Nu,"suggestionForLiveObject");function M(n,e){return n===""?e:`${n}.${e}`}o(M,"at");function E(n,e,t="",r){if(typeof n!="object"||n===null||Array.isArray(n))throw p(t||"options","must be an object",n);let i=Nu(n,e);if(i)throw p(t||"options",`must be an object of options, ${i}`,n);for(let[s,a]of Object.entries(n)){if(a===void 0||e.includes(s))continue;let l=M(t,s);throw new g("SLUICE_OPTION",`${l} is not an option: ${Pu(s,e,r)}, got ${G(a)}`,{path:l,received:a})}}o(E,"checkOptions");function v(n,e,t=0,r=Number.MAX_SAFE_INTEGER){if(Number.isSafeInteger(n)&&n>=t&&n<=r&&!Object.is(n,-0))return n;let i=r===Number.MAX_SAFE_INTEGER?`of at least ${t}`:`from ${t} to ${r}`;throw p(e,`must be a whole number ${i}`,n)}o(v,"checkWhole");function sn(n,e){if(Ka(n))return n;throw p(e,"must be a number from 0 to 1",n)}o(sn,"checkFraction");function Ka(n){return typeof n=="number"&&n>=0&&n<=1}o(Ka,"isFraction");function j(n,e,t){let r=t.find(i=>i===n);if(r===void 0)throw p(e,`must be one of ${t.map(i=>G(i)).join(", ")}`,n);return r}o(j,"checkOneOf");function Rt(n,e){if(typeof n!="function")throw p(e,"must be a function",n)}o(Rt,"checkFunction");function Du(n,e){if(n===void 0)return;let t=Object(n);if(!(typeof t.addEventListener=="function"&&typeof t.removeEventListener=="function"&&typeof t.aborted=="boolean"))throw p(e,"must be an AbortSignal, like the signal of an AbortController",n)}o(Du,"checkSignal");function J(n,e){if(typeof n=="string"&&/^[\x20-\x7e]{1,128}$/.test(n))return n;throw p(e,"must be 1 to 128 printable ASCII characters",n)}o(J,"checkName");var $a=100;function Bu(n,e){if(typeof n!="object"||n===null)return{blockMs:R(n,e)};E(n,["first","factor","max","forget"],e);let{first:t,factor:r=2,max:i,forget:s}=n,a=R(t,M(e,"first")),l=R(i,M(e,"max"));if(l<a)throw p(M(e,"max"),"must be at least as long as first",i);gk(r,M(e,"factor"));let d=s===void 0?l:R(s,M(e,"forget"));return{blockMs:a,blocksMs:Object.freeze(kk(a,r,l,e)),forgetMs:d}}o(Bu,"blockNumbers");function gk(n,e){if(!(typeof n=="number"&&n>=1.1&&n<=1e3))throw p(e,"must be a number from 1.1 to 1000: the next block is so many times as long",n)}o(gk,"checkFactor");function kk(n,e,t,r){let i=[n];for(let s=n*e;i.at(-1)<t;s*=e){if(i.length===$a)throw p(M(r,"factor"),`must be larger: from first to max, blocks may have at most ${$a} lengths`,e);i.push(Math.min(t,Math.round(s)))}return i}o(kk,"lengthsMs");function ju({blockMs:n=0,blocksMs:e}){return e===void 0?n:e[e.length-1]}o(ju,"longestBlockMs");function Uu({blockMs:n,blocksMs:e,forgetMs:t}){return e===void 0?n===void 0||Va(n):Array.isArray(e)&&e.length>0&&e.length<=$a&&e[0]===n&&e.every((r,i)=>Va(r)&&r>=(e[i-1]??1))&&Va(t)}o(Uu,"areBlockNumbers");function Va(n){return Number.isSafeInteger(n)&&n>=1}o(Va,"isLength");var wk=["name","countRejected","blockDuration"];function fe(n,e,t=wk){E(n,[...e,...t]);let{name:r,countRejected:i,blockDuration:s}=n;return i!==void 0&&j(i,"countRejected",[!0,!1,"always"]),{...r!==void 0&&{name:J(r,"name")},...i&&{countRejected:i},...s!==void 0&&Bu(s,"blockDuration")}}o(fe,"checkLimitOptions");function Ai(n,e,t){for(let r of["countRejected","blockDuration"]){let i=n?.[r];if(i!==void 0)throw p(r,`does not apply to ${t}`,i)}return fe(n,e,["name"])}o(Ai,"checkPlainOptions");function Ce(n=1){let e=Math.floor(Number.MAX_SAFE_INTEGER/(2*n));return 2*e*n>Number.MAX_SAFE_INTEGER?e-1:e}o(Ce,"largestExact");function me(n,e,t){let r=Ce(t);if(n<=r)return;let i=t===void 0?"":` over ${t} ms`;throw p(e,`must be at most ${r}, to be counted exactly${i}`,n)}o(me,"checkExact");function se(n){return typeof n=="object"&&n!==null&&typeof n.algorithm=="string"&&"quota"in n}o(se,"isLimit");function T({leaseMs:n}){return n!==void 0}o(T,"usesSlots");function dt(){return bk}o(dt,"unlimited");var bk=Object.freeze({algorithm:"unlimited",quota:Number.MAX_SAFE_INTEGER});function Ci(n){return n.refillUnits<=999999999998?n.refillUnits:-1}o(Ci,"knownUnits");var Mk=2**31-1,Sk=2**16-2;function Ei(n){let{quota:e,refillUnits:t}=n;return e<=Mk&&t<=Sk?e:0}o(Ei,"knownCapacity");function on(n,e){let{quota:t,refillPeriodMs:r}=n;return{level:t,part:0,refillUnits:Ci(n),refillPeriodMs:r,capacity:0,timeMs:e}}o(on,"fullBucket");function Oi(n,e,t){return n.timeMs>t}o(Oi,"isBucketAhead");function xi(n,e,t){let{quota:r,refillPeriodMs:i}=e,s=n.refillUnits!==-1,a=n.refillPeriodMs===i,l=a&&(!s||n.refillUnits===Ci(e));if(l&&n.timeMs<=t&&n.level<=r&&n.level>=-r)return n;let{level:d,part:u,refillUnits:c,capacity:f}=n,m={level:d,part:u,refillUnits:c,refillPeriodMs:i,capacity:f,timeMs:Math.min(n.timeMs,t)};return l||(m.refillUnits=Ci(e),s&&vk(m,n,e,t),(m.level>=f||Ei(e)===0)&&(m.capacity=0)),m.level=Math.max(-r,Math.min(r,m.level)),a||(m.part=0),m}o(xi,"bucketAt");function vk(n,e,t,r){let{refillUnits:i,refillPeriodMs:s}=e,a=r-n.timeMs;if(t.byInterval===!0){let d=Math.floor(a/s);n.level+=d*i,n.timeMs+=d*s;return}let l=e.level*s+e.part+a*i;n.level=Math.floor(l/s),n.part=l-n.level*s,n.timeMs=r}o(vk,"refillAtOldRate");function gr(n,e,t,r){let{refillUnits:i,refillPeriodMs:s}=e;return Math.min(t*s,n.level*s+n.part+(r-n.timeMs)*i)}o(gr,"held");function Ri(n,e,t){return Math.floor(gr(n,e,e.quota,t)/e.refillPeriodMs)}o(Ri,"bucketFree");function kr(n,e,t,r,i){if(r>t)return"never";let s=r*e.refillPeriodMs-gr(n,e,t,i);return s<=0?0:e.refillUnits===0?"never":Math.ceil(s/e.refillUnits)}o(kr,"bucketUntilMs");function Ti(n,e,t){let{refillUnits:r,refillPeriodMs:i}=e;Ga(n,e,n.level*i+n.part+(t-n.timeMs)*r);let s=gr(n,e,e.quota,t);n.level=Math.floor(s/i),n.part=s-n.level*i,n.timeMs=t}o(Ti,"refill");function Ga(n,e,t){let r=Ei(e);n.refillUnits=Ci(e);let i=r===0||t>=n.capacity*e.refillPeriodMs;n.capacity=i?r:Math.max(r,n.capacity)}o(Ga,"noteLimit");function Li(n,e,t){n.level=Math.max(-e.quota,n.level-t)}o(Li,"takeOut");function Fu(n,e,t){let{quota:r,refillPeriodMs:i}=e,s=Math.min(r*i,n.level*i+n.part+t);n.level=Math.floor(s/i),n.part=s-n.level*i}o(Fu,"putIn");function qa(n,e){let t=e.immediate===void 0?0:e.immediate,r=(e.quota-t)*e.refillPeriodMs-n;return r<=0?0:Math.ceil(r/e.refillUnits)}o(qa,"delayAt");function Wu(n,e,t){return qa(gr(n,e,e.quota,t),e)}o(Wu,"delayMs");function _u(n,e,t,r){return kr(n,e,e.quota,t,r)}o(_u,"waitMs");function Ku(n,e,t,r){Ti(n,e,r),Li(n,e,t)}o(Ku,"spend");function Vu(){return!1}o(Vu,"refund");function $u(n,e,t){let{capacity:r}=n;return r>e.quota?kr(n,e,r,r,t):void 0}o($u,"retentionMs");var Ha=1e9;function Ii(n,e){if(typeof n!="number"||!(n>=0)||n>Number.MAX_SAFE_INTEGER)throw p(e,"must be a number of units per second of at least 0",n);if(n===0)return{refillUnits:0,refillPeriodMs:1};let t=Ak(n)??Ck(n);if(t.refillUnits===0)throw p(e,"must be 0 or at least 0.000001 per second",n);return t}o(Ii,"rateOf");function Ak(n){let e=n/1e3,[t,r,i,s]=[1,0,0,1];for(;;){let a=Math.floor(e);if([t,r,i,s]=[a*t+i,a*r+s,t,r],r>Ha||t>Number.MAX_SAFE_INTEGER)return;if(t*1e3/r===n)return{refillUnits:t,refillPeriodMs:r};if(e===a)return;e=1/(e-a)}}o(Ak,"exactRate");function Ck(n){let e=n*(Ha/1e3)<=Number.MAX_SAFE_INTEGER?Ha:1e3,t=Math.floor(n*(e/1e3));t*1e3/e>n&&(t-=1);let r=Gu(t,e);return{refillUnits:t/r,refillPeriodMs:e/r}}o(Ck,"rateBelow");function Gu(n,e){return e===0?n:Gu(e,n%e)}o(Gu,"greatestCommonDivisor");var Pi=2**24,Ni=2**9,Ek=2**20;function za(n,e,t){return n>=0&&n<Ni&&e<Pi&&t<Ek?-((t*Ni+n)*Pi+e):0}o(za,"packed");var wr={length:o(({refillUnits:n,refillPeriodMs:e,capacity:t})=>n===-1&&t===0||za(n,e,t)!==0?3:5,"length"),read(n,e,t,r){let i=e[t],s=e[t+1];if(s<0){let a=Math.floor(-s/Pi);n.capacity=Math.floor(a/Ni),n.refillUnits=a-n.capacity*Ni,n.refillPeriodMs=-s-a*Pi}else n.refillUnits=r>3?e[t+3]:-1,n.refillPeriodMs=s,n.capacity=r>3?e[t+4]:0;n.level=Math.floor(i/n.refillPeriodMs),n.part=i-n.level*n.refillPeriodMs,n.timeMs=e[t+2]},write(n,e,t){let{level:r,part:i,refillUnits:s,refillPeriodMs:a,capacity:l,timeMs:d}=n,u=za(s,a,l);e[t]=r*a+i,e[t+1]=u||a,e[t+2]=d,wr.length(n)!==3&&(e[t+3]=s,e[t+4]=l)}};function Di(n,e){let{capacity:t,refillUnits:r,refillPeriodMs:i}=n,{numbers:s,from:a,cost:l,nowMs:d}=e,u=t*i,c=s[a],f=d-s[a+2],m=za(r,i,Ei(n));if(f<0||m===0||s[a+1]!==m||c<-u)return!1;let h=Math.min(u,c+f*r),y=Math.floor(h/i);if(l>t||l===y)return!1;let k=l<y,C=k?h-l*i:h;k&&(s[a]=C,s[a+2]=d);let O=l*i-C;return e.allowed=k,e.available=k?y-l:y,e.resetAfterMs=Math.ceil((u-C)/r),e.retryAfterMs=O<=0?0:Math.ceil(O/r),e.delayMs=0,!0}o(Di,"decideInBucket");var an={largestQuota:o(({refillPeriodMs:n})=>Ce(n),"largestQuota"),spanMs:o(({quota:n,refillUnits:e,refillPeriodMs:t})=>Math.ceil(n*t/e),"spanMs"),longestWaitMs:o(({quota:n,refillUnits:e,refillPeriodMs:t})=>(2*Math.ceil(n/e)+1)*t,"longestWaitMs"),share:o((n,e,t)=>({...n,quota:e,capacity:e,refillPeriodMs:n.refillPeriodMs*t}),"share"),quotaUnit:void 0,headerWindowMs:o(({capacity:n,refillUnits:e,refillPeriodMs:t})=>e===0?void 0:n*t/e,"headerWindowMs"),refillMs:o(({refillUnits:n,refillPeriodMs:e},t)=>n===0?void 0:Math.ceil(t*e/n),"refillMs"),listLength:o(()=>{},"listLength")};function Ya(n){let e=Ai(n,["capacity","leakRate","immediate"],"a leaky bucket"),t=v(n.capacity,"capacity"),r=v(n.immediate??0,"immediate",0,t),i=Ii(n.leakRate,"leakRate");if(i.refillUnits===0)throw p("leakRate","must be above 0",n.leakRate);me(t,"capacity",i.refillPeriodMs);let s=r>0?{immediate:r}:{};return Object.freeze({algorithm:"leaky-bucket",quota:t,capacity:t,...i,...s,...e})}o(Ya,"leakyBucket");var Ok={layout:wr,fresh:on,isAhead:Oi,normalize:xi,available:Ri,waitMs:_u,delayMs:Wu,spend:Ku,refund:Vu,retentionMs:$u,decideInPlace(n,e){if(!Di(n,e))return!1;if(e.allowed){let{numbers:t,from:r,cost:i}=e;e.delayMs=qa(t[r]+i*n.refillPeriodMs,n)}return!0}},Hu={...an,algorithm:"leaky-bucket",tag:"lb",kernel:Ok,numbers:o(({immediate:n})=>[["capacity",0],["refillUnits",1],["refillPeriodMs",1],...n===void 0?[]:[["immediate",0]]],"numbers"),defaultName:o(()=>"queue","defaultName"),share:o((n,e,t)=>({...an.share(n,e,t),...n.immediate!==void 0&&{immediate:Math.min(e,Math.ceil(n.immediate/t))}}),"share"),bound:o(({refillUnits:n,refillPeriodMs:e,immediate:t=0},r,i)=>t+i+Math.floor(n*r/e),"bound"),lease:void 0,guarantee:void 0};function Za(n,e,t,r){let i=Math.floor((r-n.timeMs)/e.refillPeriodMs);return Math.min(t,n.level+i*e.refillUnits)}o(Za,"levelByInterval");function xk(n,e,t,r,i){let{refillUnits:s,refillPeriodMs:a}=e;if(r>t)return"never";let l=Za(n,e,t,i);if(l>=r)return 0;let d=i-n.timeMs,u=d-Math.floor(d/a)*a;return Math.ceil((r-l)/s)*a-u}o(xk,"untilMsByInterval");function Rk(n,e,t){let{quota:r,refillUnits:i,refillPeriodMs:s}=e,a=Za(n,e,r,t),l=Math.floor((t-n.timeMs)/s);Ga(n,e,(n.level+l*i)*s),n.timeMs=a===r?t:n.timeMs+l*s,n.level=a}o(Rk,"refillByInterval");function zu(n,e,t){let{keepForMs:r}=e;return r!==void 0&&t-n.timeMs>=r?on(e,t):xi(n,e,t)}o(zu,"normalize");function Qa(n,e,t){return e.byInterval===!0?Za(n,e,e.quota,t):Ri(n,e,t)}o(Qa,"available");function Yu(n,e,t,r,i){return e.byInterval===!0?xk(n,e,t,r,i):kr(n,e,t,r,i)}o(Yu,"untilMs");function Zu(n,e,t,r){return Yu(n,e,e.quota,t,r)}o(Zu,"waitMs");function Qu(n,e,t){e.byInterval===!0?Rk(n,e,t):Ti(n,e,t)}o(Qu,"refillTo");function Ju(n,e,t,r){Qu(n,e,r),Li(n,e,t)}o(Ju,"spend");function Tk(n,e,t,r){let{refillUnits:i,refillPeriodMs:s}=e;if(e.byInterval!==!0)return Math.max(0,r-t)*i;let a=n.timeMs+Math.floor((r-n.timeMs)/s)*s;return(a<=t?0:1+Math.floor((a-t-1)/s))*i*s}o(Tk,"refilledSince");function Xu(n,e,t,r){let{units:i,atMs:s}=t;if(Qa(n,e,r)>=e.quota)return!1;let a=Math.min(i,2*e.quota)*e.refillPeriodMs;return t.unspent===!0&&s!==void 0&&(a-=Tk(n,e,s,r)),a<=0?!1:(Qu(n,e,r),Fu(n,e,a),!0)}o(Xu,"refund");function ec(n,e,t){let r=Math.max(e.quota,n.capacity);return e.keepForMs!==void 0?n.level>=r?0:n.timeMs+e.keepForMs-t:r===e.quota?void 0:Yu(n,e,r,r,t)}o(ec,"retentionMs");function br(n){let e=fe(n,["capacity","refillRate","refillInterval","keepFor"]),t=v(n.capacity,"capacity"),r=Lk(n);if(me(t,"capacity",r.refillPeriodMs),r.refillUnits>0&&n.keepFor!==void 0)throw p("keepFor","applies only with refillRate: 0 (a bucket that refills forgets a key when it is full)",n.keepFor);if(r.refillUnits===0&&e.countRejected===!0)throw p("countRejected","must be 'always' or absent if the bucket never refills",!0);let i=r.refillUnits===0?{keepForMs:R(n.keepFor??"30d","keepFor")}:{};return Object.freeze({algorithm:"token-bucket",quota:t,capacity:t,...r,...i,...e})}o(br,"tokenBucket");function Lk({refillRate:n,refillInterval:e}){if(e===void 0)return Ii(n,"refillRate");let t=R(e,"refillInterval"),r=v(n,"refillRate");return r===0?{refillUnits:r,refillPeriodMs:1}:{refillUnits:r,refillPeriodMs:t,byInterval:!0}}o(Lk,"refillOf");var Ik=1e14;function Pk(n,e){let[t,r]=[n.refillUnits*e,n.refillPeriodMs*n.capacity];if(e===0||e===n.capacity)return{...n,quota:e,capacity:e};let i=tc(t,r),[s,a]=[t/i,r/i];return Number.isSafeInteger(t)&&Number.isSafeInteger(r)&&a<=Ik&&e<=Ce(a)?{...n,quota:e,capacity:e,refillUnits:s,refillPeriodMs:a}:void 0}o(Pk,"partOf");function tc(n,e){return e===0?n:tc(e,n%e)}o(tc,"greatestDivisor");var Nk={layout:wr,fresh:on,isAhead:Oi,normalize:zu,available:Qa,waitMs:Zu,spend:Ju,refund:Xu,retentionMs:ec,decideInPlace:o((n,e)=>n.refillUnits>0&&!n.byInterval&&Di(n,e),"decideInPlace")},nc={...an,algorithm:"token-bucket",tag:"tb",kernel:Nk,numbers:o(({refillUnits:n})=>[["capacity",0],["refillUnits",0],["refillPeriodMs",1],...n===0?[["keepForMs",1]]:[]],"numbers"),defaultName:o(()=>"bucket","defaultName"),spanMs(n){return n.byInterval?Math.ceil(n.quota/n.refillUnits)*n.refillPeriodMs:an.spanMs(n)},bound(n,e,t,r){let{capacity:i,refillUnits:s,refillPeriodMs:a,byInterval:l,keepForMs:d}=n;return d!==void 0?(i+r)*Math.ceil(e/d):i+r+(l?s*Math.ceil(e/a):Math.floor(s*e/a))},guarantee:{partOf:o((n,e)=>n.byInterval||n.keepForMs!==void 0?void 0:Pk(n,e),"partOf"),roundsUnits:!0},lease:{stricter(n,e){let{refillUnits:t,refillPeriodMs:r,byInterval:i,keepForMs:s}=n;if(s!==void 0)return{...n,keepForMs:s+e};let a=n.capacity-(i?t*Math.ceil(e/r):Math.ceil(t*e/r));return a<1?void 0:{...n,quota:a,capacity:a}}}};function Ja(){return{ids:[],ends:[]}}o(Ja,"fresh");function Xa(n,e,t){let{ends:r}=n,i=r.length;for(let s=0;s<i;s+=1)if(r[s]>t+e.leaseMs)return!0;return!1}o(Xa,"isAhead");function rc(n,e,t){if(!Xa(n,e,t))return n;let r={ids:[],ends:[]},i=n.ends.length;for(let s=0;s<i;s+=1)r.ids.push(n.ids[s]),r.ends.push(Math.min(n.ends[s],t+e.leaseMs));return r}o(rc,"normalize");function Dk(n,e){let t=[],r=n.ends.length;for(let i=0;i<r;i+=1){let s=n.ends[i];s>e&&t.push(s)}return t}o(Dk,"liveEnds");function ic(n,e,t){let r=e.quota,i=n.ends.length;for(let s=0;s<i;s+=1)n.ends[s]>t&&(r-=1);return r}o(ic,"available");function sc(n,e,t,r){if(t>e.quota)return"never";let i=Dk(n,r),s=i.length+t-e.quota;return s<=0?0:(i.sort((a,l)=>a-l),i[s-1]-r)}o(sc,"waitMs");function el(n,e,t){let r=n.ids.length;for(let i=0;i<r;i+=1)if(n.ids[i]===e)return n.ends[i]>t;return!1}o(el,"holds");function oc(n,e,t){let{ids:r,ends:i}=n,s=r.length,a=0;for(let l=0;l<s;l+=1){let d=i[l];r[l]!==e&&d>t&&(r[a]=r[l],i[a]=d,a+=1)}r.splice(a,s-a),i.splice(a,s-a)}o(oc,"free");function ac(n,e,t,r,i){oc(n,i,r),i!==void 0&&(n.ids.push(i),n.ends.push(r+e.leaseMs))}o(ac,"spend");function lc(n,e,t,r){let{id:i}=t;return i===void 0||!el(n,i,r)?!1:(oc(n,i,0),!0)}o(lc,"refund");var dc=1e4;function tl(n){let e=Ai(n,["limit","lease"],"a concurrency limit"),t=v(n.limit,"limit",0,dc);return Object.freeze({algorithm:"concurrency",quota:t,leaseMs:R(n.lease,"lease",1e3),...e})}o(tl,"concurrency");var Bk={json:{encode:o(({ids:n,ends:e})=>n.flatMap((t,r)=>[t,e[r]]),"encode"),decode(n){let e=Ja();for(let t=0;t<n.length;t+=2){let[r,i]=[n[t],n[t+1]];if(typeof r!="string"||typeof i!="number")return;e.ids.push(r),e.ends.push(i)}return e}},fresh:Ja,isAhead:Xa,normalize:rc,available:ic,waitMs:sc,holds:el,spend:ac,refund:lc},uc={algorithm:"concurrency",tag:"cc",kernel:Bk,numbers:o(()=>[["leaseMs",1]],"numbers"),largestQuota:o(()=>dc,"largestQuota"),defaultName:o(()=>"concurrency","defaultName"),spanMs:o(({leaseMs:n})=>n,"spanMs"),longestWaitMs:o(({leaseMs:n})=>n,"longestWaitMs"),share:o((n,e)=>({...n,quota:e}),"share"),bound:o(({quota:n},e,t,r)=>n+r,"bound"),lease:void 0,guarantee:{partOf:o((n,e)=>({...n,quota:e}),"partOf")},quotaUnit:"concurrent-requests",headerWindowMs:o(()=>{},"headerWindowMs"),refillMs:o(()=>1e3,"refillMs"),listLength:o(({quota:n})=>n,"listLength")};var Qe=class extends Error{static{o(this,"LuxonError")}},cl=class extends Qe{static{o(this,"InvalidDateTimeError")}constructor(e){super(`Invalid DateTime: ${e.toMessage()}`)}},fl=class extends Qe{static{o(this,"InvalidIntervalError")}constructor(e){super(`Invalid Interval: ${e.toMessage()}`)}},ml=class extends Qe{static{o(this,"InvalidDurationError")}constructor(e){super(`Invalid Duration: ${e.toMessage()}`)}},ft=class extends Qe{static{o(this,"ConflictingSpecificationError")}},Vi=class extends Qe{static{o(this,"InvalidUnitError")}constructor(e){super(`Invalid unit ${e}`)}},q=class extends Qe{static{o(this,"InvalidArgumentError")}},We=class extends Qe{static{o(this,"ZoneIsAbstractError")}constructor(){super("Zone is an abstract class")}},w="numeric",xe="short",le="long",$i={year:w,month:w,day:w},_c={year:w,month:xe,day:w},jk={year:w,month:xe,day:w,weekday:xe},Kc={year:w,month:le,day:w},Vc={year:w,month:le,day:w,weekday:le},$c={hour:w,minute:w},Gc={hour:w,minute:w,second:w},qc={hour:w,minute:w,second:w,timeZoneName:xe},Hc={hour:w,minute:w,second:w,timeZoneName:le},zc={hour:w,minute:w,hourCycle:"h23"},Yc={hour:w,minute:w,second:w,hourCycle:"h23"},Zc={hour:w,minute:w,second:w,hourCycle:"h23",timeZoneName:xe},Qc={hour:w,minute:w,second:w,hourCycle:"h23",timeZoneName:le},Jc={year:w,month:w,day:w,hour:w,minute:w},Xc={year:w,month:w,day:w,hour:w,minute:w,second:w},ef={year:w,month:xe,day:w,hour:w,minute:w},tf={year:w,month:xe,day:w,hour:w,minute:w,second:w},Uk={year:w,month:xe,day:w,weekday:xe,hour:w,minute:w},nf={year:w,month:le,day:w,hour:w,minute:w,timeZoneName:xe},rf={year:w,month:le,day:w,hour:w,minute:w,second:w,timeZoneName:xe},sf={year:w,month:le,day:w,weekday:le,hour:w,minute:w,timeZoneName:le},of={year:w,month:le,day:w,weekday:le,hour:w,minute:w,second:w,timeZoneName:le},Pt=class{static{o(this,"Zone")}get type(){throw new We}get name(){throw new We}get ianaName(){return this.name}get isUniversal(){throw new We}offsetName(e,t){throw new We}formatOffset(e,t){throw new We}offset(e){throw new We}equals(e){throw new We}get isValid(){throw new We}},nl=null,Gi=class n extends Pt{static{o(this,"SystemZone")}static get instance(){return nl===null&&(nl=new n),nl}get type(){return"system"}get name(){return new Intl.DateTimeFormat().resolvedOptions().timeZone}get isUniversal(){return!1}offsetName(e,{format:t,locale:r}){return gf(e,t,r)}formatOffset(e,t){return Cr(this.offset(e),t)}offset(e){return-new Date(e).getTimezoneOffset()}equals(e){return e.type==="system"}get isValid(){return!0}},hl=new Map;function Fk(n){let e=hl.get(n);return e===void 0&&(e=new Intl.DateTimeFormat("en-US",{hour12:!1,timeZone:n,year:"numeric",month:"2-digit",day:"2-digit",hour:"2-digit",minute:"2-digit",second:"2-digit",era:"short"}),hl.set(n,e)),e}o(Fk,"makeDTF");var Wk={year:0,month:1,day:2,era:3,hour:4,minute:5,second:6};function _k(n,e){let t=n.format(e).replace(/\u200E/g,""),r=/(\d+)\/(\d+)\/(\d+) (AD|BC),? (\d+):(\d+):(\d+)/.exec(t),[,i,s,a,l,d,u,c]=r;return[a,i,s,l,d,u,c]}o(_k,"hackyOffset");function Kk(n,e){let t=n.formatToParts(e),r=[];for(let i=0;i<t.length;i++){let{type:s,value:a}=t[i],l=Wk[s];s==="era"?r[l]=a:A(l)||(r[l]=parseInt(a,10))}return r}o(Kk,"partsOffset");var rl=new Map,_e=class n extends Pt{static{o(this,"IANAZone")}static create(e){let t=rl.get(e);return t===void 0&&rl.set(e,t=new n(e)),t}static resetCache(){rl.clear(),hl.clear()}static isValidSpecifier(e){return this.isValidZone(e)}static isValidZone(e){if(!e)return!1;try{return new Intl.DateTimeFormat("en-US",{timeZone:e}).format(),!0}catch{return!1}}constructor(e){super(),this.zoneName=e,this.valid=n.isValidZone(e)}get type(){return"iana"}get name(){return this.zoneName}get isUniversal(){return!1}offsetName(e,{format:t,locale:r}){return gf(e,t,r,this.name)}formatOffset(e,t){return Cr(this.offset(e),t)}offset(e){if(!this.valid)return NaN;let t=new Date(e);if(isNaN(t))return NaN;let r=Fk(this.name),[i,s,a,l,d,u,c]=r.formatToParts?Kk(r,t):_k(r,t);l==="BC"&&(i=-Math.abs(i)+1);let m=Qi({year:i,month:s,day:a,hour:d===24?0:d,minute:u,second:c,millisecond:0}),h=+t,y=h%1e3;return h-=y>=0?y:1e3+y,(m-h)/(60*1e3)}equals(e){return e.type==="iana"&&e.name===this.name}get isValid(){return this.valid}},cc={};function Vk(n,e={}){let t=JSON.stringify([n,e]),r=cc[t];return r||(r=new Intl.ListFormat(n,e),cc[t]=r),r}o(Vk,"getCachedLF");var pl=new Map;function yl(n,e={}){let t=JSON.stringify([n,e]),r=pl.get(t);return r===void 0&&(r=new Intl.DateTimeFormat(n,e),pl.set(t,r)),r}o(yl,"getCachedDTF");var gl=new Map;function $k(n,e={}){let t=JSON.stringify([n,e]),r=gl.get(t);return r===void 0&&(r=new Intl.NumberFormat(n,e),gl.set(t,r)),r}o($k,"getCachedINF");var kl=new Map;function Gk(n,e={}){let{base:t,...r}=e,i=JSON.stringify([n,r]),s=kl.get(i);return s===void 0&&(s=new Intl.RelativeTimeFormat(n,e),kl.set(i,s)),s}o(Gk,"getCachedRTF");var Sr=null;function qk(){return Sr||(Sr=new Intl.DateTimeFormat().resolvedOptions().locale,Sr)}o(qk,"systemLocale");var wl=new Map;function af(n){let e=wl.get(n);return e===void 0&&(e=new Intl.DateTimeFormat(n).resolvedOptions(),wl.set(n,e)),e}o(af,"getCachedIntResolvedOptions");var bl=new Map;function Hk(n){let e=bl.get(n);if(!e){let t=new Intl.Locale(n);e="getWeekInfo"in t?t.getWeekInfo():t.weekInfo,"minimalDays"in e||(e={...lf,...e}),bl.set(n,e)}return e}o(Hk,"getCachedWeekInfo");function zk(n){let e=n.indexOf("-x-");e!==-1&&(n=n.substring(0,e));let t=n.indexOf("-u-");if(t===-1)return[n];{let r,i;try{r=yl(n).resolvedOptions(),i=n}catch{let d=n.substring(0,t);r=yl(d).resolvedOptions(),i=d}let{numberingSystem:s,calendar:a}=r;return[i,s,a]}}o(zk,"parseLocaleString");function Yk(n,e,t){return(t||e)&&(n.includes("-u-")||(n+="-u"),t&&(n+=`-ca-${t}`),e&&(n+=`-nu-${e}`)),n}o(Yk,"intlConfigString");function Zk(n){let e=[];for(let t=1;t<=12;t++){let r=N.utc(2009,t,1);e.push(n(r))}return e}o(Zk,"mapMonths");function Qk(n){let e=[];for(let t=1;t<=7;t++){let r=N.utc(2016,11,13+t);e.push(n(r))}return e}o(Qk,"mapWeekdays");function Bi(n,e,t,r){let i=n.listingMode();return i==="error"?null:i==="en"?t(e):r(e)}o(Bi,"listStuff");function Jk(n){return n.numberingSystem&&n.numberingSystem!=="latn"?!1:n.numberingSystem==="latn"||!n.locale||n.locale.startsWith("en")||af(n.locale).numberingSystem==="latn"}o(Jk,"supportsFastNumbers");var Ml=class{static{o(this,"PolyNumberFormatter")}constructor(e,t,r){this.padTo=r.padTo||0,this.floor=r.floor||!1;let{padTo:i,floor:s,...a}=r;if(!t||Object.keys(a).length>0){let l={useGrouping:!1,...r};r.padTo>0&&(l.minimumIntegerDigits=r.padTo),this.inf=$k(e,l)}}format(e){if(this.inf){let t=this.floor?Math.floor(e):e;return this.inf.format(t)}else{let t=this.floor?Math.floor(e):Pl(e,3);return F(t,this.padTo)}}},Sl=class{static{o(this,"PolyDateFormatter")}constructor(e,t,r){this.opts=r,this.originalZone=void 0;let i;if(this.opts.timeZone)this.dt=e;else if(e.zone.type==="fixed"){let a=-1*(e.offset/60),l=a>=0?`Etc/GMT+${a}`:`Etc/GMT${a}`;e.offset!==0&&_e.create(l).valid?(i=l,this.dt=e):(i="UTC",this.dt=e.offset===0?e:e.setZone("UTC").plus({minutes:e.offset}),this.originalZone=e.zone)}else e.zone.type==="system"?this.dt=e:e.zone.type==="iana"?(this.dt=e,i=e.zone.name):(i="UTC",this.dt=e.setZone("UTC").plus({minutes:e.offset}),this.originalZone=e.zone);let s={...this.opts};s.timeZone=s.timeZone||i,this.dtf=yl(t,s)}format(){return this.originalZone?this.formatToParts().map(({value:e})=>e).join(""):this.dtf.format(this.dt.toJSDate())}formatToParts(){let e=this.dtf.formatToParts(this.dt.toJSDate());return this.originalZone?e.map(t=>{if(t.type==="timeZoneName"){let r=this.originalZone.offsetName(this.dt.ts,{locale:this.dt.locale,format:this.opts.timeZoneName});return{...t,value:r}}else return t}):e}resolvedOptions(){return this.dtf.resolvedOptions()}},vl=class{static{o(this,"PolyRelFormatter")}constructor(e,t,r){this.opts={style:"long",...r},!t&&pf()&&(this.rtf=Gk(e,r))}format(e,t){return this.rtf?this.rtf.format(e,t):ww(t,e,this.opts.numeric,this.opts.style!=="long")}formatToParts(e,t){return this.rtf?this.rtf.formatToParts(e,t):[]}},lf={firstDay:1,minimalDays:4,weekend:[6,7]},P=class n{static{o(this,"Locale")}static fromOpts(e){return n.create(e.locale,e.numberingSystem,e.outputCalendar,e.weekSettings,e.defaultToEN)}static create(e,t,r,i,s=!1){let a=e||D.defaultLocale,l=a||(s?"en-US":qk()),d=t||D.defaultNumberingSystem,u=r||D.defaultOutputCalendar,c=El(i)||D.defaultWeekSettings;return new n(l,d,u,c,a)}static resetCache(){Sr=null,pl.clear(),gl.clear(),kl.clear(),wl.clear(),bl.clear()}static fromObject({locale:e,numberingSystem:t,outputCalendar:r,weekSettings:i}={}){return n.create(e,t,r,i)}constructor(e,t,r,i,s){let[a,l,d]=zk(e);this.locale=a,this.numberingSystem=t||l||null,this.outputCalendar=r||d||null,this.weekSettings=i,this.intl=Yk(this.locale,this.numberingSystem,this.outputCalendar),this.weekdaysCache={format:{},standalone:{}},this.monthsCache={format:{},standalone:{}},this.meridiemCache=null,this.eraCache={},this.specifiedLocale=s,this.fastNumbersCached=null}get fastNumbers(){return this.fastNumbersCached==null&&(this.fastNumbersCached=Jk(this)),this.fastNumbersCached}listingMode(){let e=this.isEnglish(),t=(this.numberingSystem===null||this.numberingSystem==="latn")&&(this.outputCalendar===null||this.outputCalendar==="gregory");return e&&t?"en":"intl"}clone(e){return!e||Object.getOwnPropertyNames(e).length===0?this:n.create(e.locale||this.specifiedLocale,e.numberingSystem||this.numberingSystem,e.outputCalendar||this.outputCalendar,El(e.weekSettings)||this.weekSettings,e.defaultToEN||!1)}redefaultToEN(e={}){return this.clone({...e,defaultToEN:!0})}redefaultToSystem(e={}){return this.clone({...e,defaultToEN:!1})}months(e,t=!1){return Bi(this,e,bf,()=>{let r=this.intl==="ja"||this.intl.startsWith("ja-");t&=!r;let i=t?{month:e,day:"numeric"}:{month:e},s=t?"format":"standalone";if(!this.monthsCache[s][e]){let a=r?l=>this.dtFormatter(l,i).format():l=>this.extract(l,i,"month");this.monthsCache[s][e]=Zk(a)}return this.monthsCache[s][e]})}weekdays(e,t=!1){return Bi(this,e,vf,()=>{let r=t?{weekday:e,year:"numeric",month:"long",day:"numeric"}:{weekday:e},i=t?"format":"standalone";return this.weekdaysCache[i][e]||(this.weekdaysCache[i][e]=Qk(s=>this.extract(s,r,"weekday"))),this.weekdaysCache[i][e]})}meridiems(){return Bi(this,void 0,()=>Af,()=>{if(!this.meridiemCache){let e={hour:"numeric",hourCycle:"h12"};this.meridiemCache=[N.utc(2016,11,13,9),N.utc(2016,11,13,19)].map(t=>this.extract(t,e,"dayperiod"))}return this.meridiemCache})}eras(e){return Bi(this,e,Cf,()=>{let t={era:e};return this.eraCache[e]||(this.eraCache[e]=[N.utc(-40,1,1),N.utc(2017,1,1)].map(r=>this.extract(r,t,"era"))),this.eraCache[e]})}extract(e,t,r){let i=this.dtFormatter(e,t),s=i.formatToParts(),a=s.find(l=>l.type.toLowerCase()===r);return a?a.value:null}numberFormatter(e={}){return new Ml(this.intl,e.forceSimple||this.fastNumbers,e)}dtFormatter(e,t={}){return new Sl(e,this.intl,t)}relFormatter(e={}){return new vl(this.intl,this.isEnglish(),e)}listFormatter(e={}){return Vk(this.intl,e)}isEnglish(){return this.locale==="en"||this.locale.toLowerCase()==="en-us"||af(this.intl).locale.startsWith("en-us")}getWeekSettings(){return this.weekSettings?this.weekSettings:yf()?Hk(this.locale):lf}getStartOfWeek(){return this.getWeekSettings().firstDay}getMinDaysInFirstWeek(){return this.getWeekSettings().minimalDays}getWeekendDays(){return this.getWeekSettings().weekend}equals(e){return this.locale===e.locale&&this.numberingSystem===e.numberingSystem&&this.outputCalendar===e.outputCalendar}toString(){return`Locale(${this.locale}, ${this.numberingSystem}, ${this.outputCalendar})`}},il=null,ge=class n extends Pt{static{o(this,"FixedOffsetZone")}static get utcInstance(){return il===null&&(il=new n(0)),il}static instance(e){return e===0?n.utcInstance:new n(e)}static parseSpecifier(e){if(e){let t=e.match(/^utc(?:([+-]\d{1,2})(?::(\d{2}))?)?$/i);if(t)return new n(Ji(t[1],t[2]))}return null}constructor(e){super(),this.fixed=e}get type(){return"fixed"}get name(){return this.fixed===0?"UTC":`UTC${Cr(this.fixed,"narrow")}`}get ianaName(){return this.fixed===0?"Etc/UTC":`Etc/GMT${Cr(-this.fixed,"narrow")}`}offsetName(){return this.name}formatOffset(e,t){return Cr(this.fixed,t)}get isUniversal(){return!0}offset(){return this.fixed}equals(e){return e.type==="fixed"&&e.fixed===this.fixed}get isValid(){return!0}},Al=class extends Pt{static{o(this,"InvalidZone")}constructor(e){super(),this.zoneName=e}get type(){return"invalid"}get name(){return this.zoneName}get isUniversal(){return!1}offsetName(){return null}formatOffset(){return""}offset(){return NaN}equals(){return!1}get isValid(){return!1}};function ct(n,e){if(A(n)||n===null)return e;if(n instanceof Pt)return n;if(iw(n)){let t=n.toLowerCase();return t==="default"?e:t==="local"||t==="system"?Gi.instance:t==="utc"||t==="gmt"?ge.utcInstance:ge.parseSpecifier(t)||_e.create(n)}else return mt(n)?ge.instance(n):typeof n=="object"&&"offset"in n&&typeof n.offset=="function"?n:new Al(n)}o(ct,"normalizeZone");var Rl={arab:"[\u0660-\u0669]",arabext:"[\u06F0-\u06F9]",bali:"[\u1B50-\u1B59]",beng:"[\u09E6-\u09EF]",deva:"[\u0966-\u096F]",fullwide:"[\uFF10-\uFF19]",gujr:"[\u0AE6-\u0AEF]",hanidec:"[\u3007|\u4E00|\u4E8C|\u4E09|\u56DB|\u4E94|\u516D|\u4E03|\u516B|\u4E5D]",khmr:"[\u17E0-\u17E9]",knda:"[\u0CE6-\u0CEF]",laoo:"[\u0ED0-\u0ED9]",limb:"[\u1946-\u194F]",mlym:"[\u0D66-\u0D6F]",mong:"[\u1810-\u1819]",mymr:"[\u1040-\u1049]",orya:"[\u0B66-\u0B6F]",tamldec:"[\u0BE6-\u0BEF]",telu:"[\u0C66-\u0C6F]",thai:"[\u0E50-\u0E59]",tibt:"[\u0F20-\u0F29]",latn:"\\d"},fc={arab:[1632,1641],arabext:[1776,1785],bali:[6992,7001],beng:[2534,2543],deva:[2406,2415],fullwide:[65296,65303],gujr:[2790,2799],khmr:[6112,6121],knda:[3302,3311],laoo:[3792,3801],limb:[6470,6479],mlym:[3430,3439],mong:[6160,6169],mymr:[4160,4169],orya:[2918,2927],tamldec:[3046,3055],telu:[3174,3183],thai:[3664,3673],tibt:[3872,3881]},Xk=Rl.hanidec.replace(/[\[|\]]/g,"").split("");function ew(n){let e=parseInt(n,10);if(isNaN(e)){e="";for(let t=0;t<n.length;t++){let r=n.charCodeAt(t);if(n[t].search(Rl.hanidec)!==-1)e+=Xk.indexOf(n[t]);else for(let i in fc){let[s,a]=fc[i];r>=s&&r<=a&&(e+=r-s)}}return parseInt(e,10)}else return e}o(ew,"parseDigits");var Cl=new Map;function tw(){Cl.clear()}o(tw,"resetDigitRegexCache");function Ee({numberingSystem:n},e=""){let t=n||"latn",r=Cl.get(t);r===void 0&&(r=new Map,Cl.set(t,r));let i=r.get(e);return i===void 0&&(i=new RegExp(`${Rl[t]}${e}`),r.set(e,i)),i}o(Ee,"digitRegex");var mc=o(()=>Date.now(),"now"),hc="system",pc=null,yc=null,gc=null,kc=60,wc,bc=null,D=class{static{o(this,"Settings")}static get now(){return mc}static set now(e){mc=e}static set defaultZone(e){hc=e}static get defaultZone(){return ct(hc,Gi.instance)}static get defaultLocale(){return pc}static set defaultLocale(e){pc=e}static get defaultNumberingSystem(){return yc}static set defaultNumberingSystem(e){yc=e}static get defaultOutputCalendar(){return gc}static set defaultOutputCalendar(e){gc=e}static get defaultWeekSettings(){return bc}static set defaultWeekSettings(e){bc=El(e)}static get twoDigitCutoffYear(){return kc}static set twoDigitCutoffYear(e){kc=e%100}static get throwOnInvalid(){return wc}static set throwOnInvalid(e){wc=e}static resetCaches(){P.resetCache(),_e.resetCache(),N.resetCache(),tw()}},ae=class{static{o(this,"Invalid")}constructor(e,t){this.reason=e,this.explanation=t}toMessage(){return this.explanation?`${this.reason}: ${this.explanation}`:this.reason}},df=[0,31,59,90,120,151,181,212,243,273,304,334],uf=[0,31,60,91,121,152,182,213,244,274,305,335];function pe(n,e){return new ae("unit out of range",`you specified ${e} (of type ${typeof e}) as a ${n}, which is invalid`)}o(pe,"unitOutOfRange");function Tl(n,e,t){let r=new Date(Date.UTC(n,e-1,t));n<100&&n>=0&&r.setUTCFullYear(r.getUTCFullYear()-1900);let i=r.getUTCDay();return i===0?7:i}o(Tl,"dayOfWeek");function cf(n,e,t){return t+(Or(n)?uf:df)[e-1]}o(cf,"computeOrdinal");function ff(n,e){let t=Or(n)?uf:df,r=t.findIndex(s=>s<e),i=e-t[r];return{month:r+1,day:i}}o(ff,"uncomputeOrdinal");function Ll(n,e){return(n-e+7)%7+1}o(Ll,"isoWeekdayToLocal");function qi(n,e=4,t=1){let{year:r,month:i,day:s}=n,a=cf(r,i,s),l=Ll(Tl(r,i,s),t),d=Math.floor((a-l+14-e)/7),u;return d<1?(u=r-1,d=Er(u,e,t)):d>Er(r,e,t)?(u=r+1,d=1):u=r,{weekYear:u,weekNumber:d,weekday:l,...Xi(n)}}o(qi,"gregorianToWeek");function Mc(n,e=4,t=1){let{weekYear:r,weekNumber:i,weekday:s}=n,a=Ll(Tl(r,1,e),t),l=fn(r),d=i*7+s-a-7+e,u;d<1?(u=r-1,d+=fn(u)):d>l?(u=r+1,d-=fn(r)):u=r;let{month:c,day:f}=ff(u,d);return{year:u,month:c,day:f,...Xi(n)}}o(Mc,"weekToGregorian");function sl(n){let{year:e,month:t,day:r}=n,i=cf(e,t,r);return{year:e,ordinal:i,...Xi(n)}}o(sl,"gregorianToOrdinal");function Sc(n){let{year:e,ordinal:t}=n,{month:r,day:i}=ff(e,t);return{year:e,month:r,day:i,...Xi(n)}}o(Sc,"ordinalToGregorian");function vc(n,e){if(!A(n.localWeekday)||!A(n.localWeekNumber)||!A(n.localWeekYear)){if(!A(n.weekday)||!A(n.weekNumber)||!A(n.weekYear))throw new ft("Cannot mix locale-based week fields with ISO-based week fields");return A(n.localWeekday)||(n.weekday=n.localWeekday),A(n.localWeekNumber)||(n.weekNumber=n.localWeekNumber),A(n.localWeekYear)||(n.weekYear=n.localWeekYear),delete n.localWeekday,delete n.localWeekNumber,delete n.localWeekYear,{minDaysInFirstWeek:e.getMinDaysInFirstWeek(),startOfWeek:e.getStartOfWeek()}}else return{minDaysInFirstWeek:4,startOfWeek:1}}o(vc,"usesLocalWeekValues");function nw(n,e=4,t=1){let r=Zi(n.weekYear),i=ye(n.weekNumber,1,Er(n.weekYear,e,t)),s=ye(n.weekday,1,7);return r?i?s?!1:pe("weekday",n.weekday):pe("week",n.weekNumber):pe("weekYear",n.weekYear)}o(nw,"hasInvalidWeekData");function rw(n){let e=Zi(n.year),t=ye(n.ordinal,1,fn(n.year));return e?t?!1:pe("ordinal",n.ordinal):pe("year",n.year)}o(rw,"hasInvalidOrdinalData");function mf(n){let e=Zi(n.year),t=ye(n.month,1,12),r=ye(n.day,1,Hi(n.year,n.month));return e?t?r?!1:pe("day",n.day):pe("month",n.month):pe("year",n.year)}o(mf,"hasInvalidGregorianData");function hf(n){let{hour:e,minute:t,second:r,millisecond:i}=n,s=ye(e,0,23)||e===24&&t===0&&r===0&&i===0,a=ye(t,0,59),l=ye(r,0,59),d=ye(i,0,999);return s?a?l?d?!1:pe("millisecond",i):pe("second",r):pe("minute",t):pe("hour",e)}o(hf,"hasInvalidTimeData");function A(n){return typeof n>"u"}o(A,"isUndefined");function mt(n){return typeof n=="number"}o(mt,"isNumber");function Zi(n){return typeof n=="number"&&n%1===0}o(Zi,"isInteger");function iw(n){return typeof n=="string"}o(iw,"isString");function sw(n){return Object.prototype.toString.call(n)==="[object Date]"}o(sw,"isDate");function pf(){try{return typeof Intl<"u"&&!!Intl.RelativeTimeFormat}catch{return!1}}o(pf,"hasRelative");function yf(){try{return typeof Intl<"u"&&!!Intl.Locale&&("weekInfo"in Intl.Locale.prototype||"getWeekInfo"in Intl.Locale.prototype)}catch{return!1}}o(yf,"hasLocaleWeekInfo");function ow(n){return Array.isArray(n)?n:[n]}o(ow,"maybeArray");function Ac(n,e,t){if(n.length!==0)return n.reduce((r,i)=>{let s=[e(i),i];return r&&t(r[0],s[0])===r[0]?r:s},null)[1]}o(Ac,"bestBy");function aw(n,e){return e.reduce((t,r)=>(t[r]=n[r],t),{})}o(aw,"pick");function pn(n,e){return Object.prototype.hasOwnProperty.call(n,e)}o(pn,"hasOwnProperty");function El(n){if(n==null)return null;if(typeof n!="object")throw new q("Week settings must be an object");if(!ye(n.firstDay,1,7)||!ye(n.minimalDays,1,7)||!Array.isArray(n.weekend)||n.weekend.some(e=>!ye(e,1,7)))throw new q("Invalid week settings");return{firstDay:n.firstDay,minimalDays:n.minimalDays,weekend:Array.from(n.weekend)}}o(El,"validateWeekSettings");function ye(n,e,t){return Zi(n)&&n>=e&&n<=t}o(ye,"integerBetween");function lw(n,e){return n-e*Math.floor(n/e)}o(lw,"floorMod");function F(n,e=2){let t=n<0,r;return t?r="-"+(""+-n).padStart(e,"0"):r=(""+n).padStart(e,"0"),r}o(F,"padStart");function ut(n){if(!(A(n)||n===null||n===""))return parseInt(n,10)}o(ut,"parseInteger");function Tt(n){if(!(A(n)||n===null||n===""))return parseFloat(n)}o(Tt,"parseFloating");function Il(n){if(!(A(n)||n===null||n==="")){let e=parseFloat("0."+n)*1e3;return Math.floor(e)}}o(Il,"parseMillis");function Pl(n,e,t="round"){let r=10**e;switch(t){case"expand":return n>0?Math.ceil(n*r)/r:Math.floor(n*r)/r;case"trunc":return Math.trunc(n*r)/r;case"round":return Math.round(n*r)/r;case"floor":return Math.floor(n*r)/r;case"ceil":return Math.ceil(n*r)/r;default:throw new RangeError(`Value rounding ${t} is out of range`)}}o(Pl,"roundTo");function Or(n){return n%4===0&&(n%100!==0||n%400===0)}o(Or,"isLeapYear");function fn(n){return Or(n)?366:365}o(fn,"daysInYear");function Hi(n,e){let t=lw(e-1,12)+1,r=n+(e-t)/12;return t===2?Or(r)?29:28:[31,null,31,30,31,30,31,31,30,31,30,31][t-1]}o(Hi,"daysInMonth");function Qi(n){let e=Date.UTC(n.year,n.month-1,n.day,n.hour,n.minute,n.second,n.millisecond);return n.year<100&&n.year>=0&&(e=new Date(e),e.setUTCFullYear(n.year,n.month-1,n.day)),+e}o(Qi,"objToLocalTS");function Cc(n,e,t){return-Ll(Tl(n,1,e),t)+e-1}o(Cc,"firstWeekOffset");function Er(n,e=4,t=1){let r=Cc(n,e,t),i=Cc(n+1,e,t);return(fn(n)-r+i)/7}o(Er,"weeksInWeekYear");function Ol(n){return n>99?n:n>D.twoDigitCutoffYear?1900+n:2e3+n}o(Ol,"untruncateYear");function gf(n,e,t,r=null){let i=new Date(n),s={hourCycle:"h23",year:"numeric",month:"2-digit",day:"2-digit",hour:"2-digit",minute:"2-digit"};r&&(s.timeZone=r);let a={timeZoneName:e,...s},l=new Intl.DateTimeFormat(t,a).formatToParts(i).find(d=>d.type.toLowerCase()==="timezonename");return l?l.value:null}o(gf,"parseZoneInfo");function Ji(n,e){let t=parseInt(n,10);Number.isNaN(t)&&(t=0);let r=parseInt(e,10)||0,i=t<0||Object.is(t,-0)?-r:r;return t*60+i}o(Ji,"signedOffset");function kf(n){let e=Number(n);if(typeof n=="boolean"||n===""||!Number.isFinite(e))throw new q(`Invalid unit value ${n}`);return e}o(kf,"asNumber");function zi(n,e){let t={};for(let r in n)if(pn(n,r)){let i=n[r];if(i==null)continue;t[e(r)]=kf(i)}return t}o(zi,"normalizeObject");function Cr(n,e){let t=Math.trunc(Math.abs(n/60)),r=Math.trunc(Math.abs(n%60)),i=n>=0?"+":"-";switch(e){case"short":return`${i}${F(t,2)}:${F(r,2)}`;case"narrow":return`${i}${t}${r>0?`:${r}`:""}`;case"techie":return`${i}${F(t,2)}${F(r,2)}`;default:throw new RangeError(`Value format ${e} is out of range for property format`)}}o(Cr,"formatOffset");function Xi(n){return aw(n,["hour","minute","second","millisecond"])}o(Xi,"timeObject");var dw=["January","February","March","April","May","June","July","August","September","October","November","December"],wf=["Jan","Feb","Mar","Apr","May","Jun","Jul","Aug","Sep","Oct","Nov","Dec"],uw=["J","F","M","A","M","J","J","A","S","O","N","D"];function bf(n){switch(n){case"narrow":return[...uw];case"short":return[...wf];case"long":return[...dw];case"numeric":return["1","2","3","4","5","6","7","8","9","10","11","12"];case"2-digit":return["01","02","03","04","05","06","07","08","09","10","11","12"];default:return null}}o(bf,"months");var Mf=["Monday","Tuesday","Wednesday","Thursday","Friday","Saturday","Sunday"],Sf=["Mon","Tue","Wed","Thu","Fri","Sat","Sun"],cw=["M","T","W","T","F","S","S"];function vf(n){switch(n){case"narrow":return[...cw];case"short":return[...Sf];case"long":return[...Mf];case"numeric":return["1","2","3","4","5","6","7"];default:return null}}o(vf,"weekdays");var Af=["AM","PM"],fw=["Before Christ","Anno Domini"],mw=["BC","AD"],hw=["B","A"];function Cf(n){switch(n){case"narrow":return[...hw];case"short":return[...mw];case"long":return[...fw];default:return null}}o(Cf,"eras");function pw(n){return Af[n.hour<12?0:1]}o(pw,"meridiemForDateTime");function yw(n,e){return vf(e)[n.weekday-1]}o(yw,"weekdayForDateTime");function gw(n,e){return bf(e)[n.month-1]}o(gw,"monthForDateTime");function kw(n,e){return Cf(e)[n.year<0?0:1]}o(kw,"eraForDateTime");function ww(n,e,t="always",r=!1){let i={years:["year","yr."],quarters:["quarter","qtr."],months:["month","mo."],weeks:["week","wk."],days:["day","day","days"],hours:["hour","hr."],minutes:["minute","min."],seconds:["second","sec."]},s=["hours","minutes","seconds"].indexOf(n)===-1;if(t==="auto"&&s){let f=n==="days";switch(e){case 1:return f?"tomorrow":`next ${i[n][0]}`;case-1:return f?"yesterday":`last ${i[n][0]}`;case 0:return f?"today":`this ${i[n][0]}`}}let a=Object.is(e,-0)||e<0,l=Math.abs(e),d=l===1,u=i[n],c=r?d?u[1]:u[2]||u[1]:d?i[n][0]:n;return a?`${l} ${c} ago`:`in ${l} ${c}`}o(ww,"formatRelativeTime");function Ec(n,e){let t="";for(let r of n)r.literal?t+=r.val:t+=e(r.val);return t}o(Ec,"stringifyTokens");var bw={D:$i,DD:_c,DDD:Kc,DDDD:Vc,t:$c,tt:Gc,ttt:qc,tttt:Hc,T:zc,TT:Yc,TTT:Zc,TTTT:Qc,f:Jc,ff:ef,fff:nf,ffff:sf,F:Xc,FF:tf,FFF:rf,FFFF:of},oe=class n{static{o(this,"Formatter")}static create(e,t={}){return new n(e,t)}static parseFormat(e){let t=null,r="",i=!1,s=[];for(let a=0;a<e.length;a++){let l=e.charAt(a);l==="'"?((r.length>0||i)&&s.push({literal:i||/^\s+$/.test(r),val:r===""?"'":r}),t=null,r="",i=!i):i||l===t?r+=l:(r.length>0&&s.push({literal:/^\s+$/.test(r),val:r}),r=l,t=l)}return r.length>0&&s.push({literal:i||/^\s+$/.test(r),val:r}),s}static macroTokenToFormatOpts(e){return bw[e]}constructor(e,t){this.opts=t,this.loc=e,this.systemLoc=null}formatWithSystemDefault(e,t){return this.systemLoc===null&&(this.systemLoc=this.loc.redefaultToSystem()),this.systemLoc.dtFormatter(e,{...this.opts,...t}).format()}dtFormatter(e,t={}){return this.loc.dtFormatter(e,{...this.opts,...t})}formatDateTime(e,t){return this.dtFormatter(e,t).format()}formatDateTimeParts(e,t){return this.dtFormatter(e,t).formatToParts()}formatInterval(e,t){return this.dtFormatter(e.start,t).dtf.formatRange(e.start.toJSDate(),e.end.toJSDate())}resolvedOptions(e,t){return this.dtFormatter(e,t).resolvedOptions()}num(e,t=0,r=void 0){if(this.opts.forceSimple)return F(e,t);let i={...this.opts};return t>0&&(i.padTo=t),r&&(i.signDisplay=r),this.loc.numberFormatter(i).format(e)}formatDateTimeFromString(e,t){let r=this.loc.listingMode()==="en",i=this.loc.outputCalendar&&this.loc.outputCalendar!=="gregory",s=o((h,y)=>this.loc.extract(e,h,y),"string"),a=o(h=>e.isOffsetFixed&&e.offset===0&&h.allowZ?"Z":e.isValid?e.zone.formatOffset(e.ts,h.format):"","formatOffset"),l=o(()=>r?pw(e):s({hour:"numeric",hourCycle:"h12"},"dayperiod"),"meridiem"),d=o((h,y)=>r?gw(e,h):s(y?{month:h}:{month:h,day:"numeric"},"month"),"month"),u=o((h,y)=>r?yw(e,h):s(y?{weekday:h}:{weekday:h,month:"long",day:"numeric"},"weekday"),"weekday"),c=o(h=>{let y=n.macroTokenToFormatOpts(h);return y?this.formatWithSystemDefault(e,y):h},"maybeMacro"),f=o(h=>r?kw(e,h):s({era:h},"era"),"era"),m=o(h=>{switch(h){case"S":return this.num(e.millisecond);case"u":case"SSS":return this.num(e.millisecond,3);case"s":return this.num(e.second);case"ss":return this.num(e.second,2);case"uu":return this.num(Math.floor(e.millisecond/10),2);case"uuu":return this.num(Math.floor(e.millisecond/100));case"m":return this.num(e.minute);case"mm":return this.num(e.minute,2);case"h":return this.num(e.hour%12===0?12:e.hour%12);case"hh":return this.num(e.hour%12===0?12:e.hour%12,2);case"H":return this.num(e.hour);case"HH":return this.num(e.hour,2);case"Z":return a({format:"narrow",allowZ:this.opts.allowZ});case"ZZ":return a({format:"short",allowZ:this.opts.allowZ});case"ZZZ":return a({format:"techie",allowZ:this.opts.allowZ});case"ZZZZ":return e.zone.offsetName(e.ts,{format:"short",locale:this.loc.locale});case"ZZZZZ":return e.zone.offsetName(e.ts,{format:"long",locale:this.loc.locale});case"z":return e.zoneName;case"a":return l();case"d":return i?s({day:"numeric"},"day"):this.num(e.day);case"dd":return i?s({day:"2-digit"},"day"):this.num(e.day,2);case"c":return this.num(e.weekday);case"ccc":return u("short",!0);case"cccc":return u("long",!0);case"ccccc":return u("narrow",!0);case"E":return this.num(e.weekday);case"EEE":return u("short",!1);case"EEEE":return u("long",!1);case"EEEEE":return u("narrow",!1);case"L":return i?s({month:"numeric",day:"numeric"},"month"):this.num(e.month);case"LL":return i?s({month:"2-digit",day:"numeric"},"month"):this.num(e.month,2);case"LLL":return d("short",!0);case"LLLL":return d("long",!0);case"LLLLL":return d("narrow",!0);case"M":return i?s({month:"numeric"},"month"):this.num(e.month);case"MM":return i?s({month:"2-digit"},"month"):this.num(e.month,2);case"MMM":return d("short",!1);case"MMMM":return d("long",!1);case"MMMMM":return d("narrow",!1);case"y":return i?s({year:"numeric"},"year"):this.num(e.year);case"yy":return i?s({year:"2-digit"},"year"):this.num(e.year.toString().slice(-2),2);case"yyyy":return i?s({year:"numeric"},"year"):this.num(e.year,4);case"yyyyyy":return i?s({year:"numeric"},"year"):this.num(e.year,6);case"G":return f("short");case"GG":return f("long");case"GGGGG":return f("narrow");case"kk":return this.num(e.weekYear.toString().slice(-2),2);case"kkkk":return this.num(e.weekYear,4);case"W":return this.num(e.weekNumber);case"WW":return this.num(e.weekNumber,2);case"n":return this.num(e.localWeekNumber);case"nn":return this.num(e.localWeekNumber,2);case"ii":return this.num(e.localWeekYear.toString().slice(-2),2);case"iiii":return this.num(e.localWeekYear,4);case"o":return this.num(e.ordinal);case"ooo":return this.num(e.ordinal,3);case"q":return this.num(e.quarter);case"qq":return this.num(e.quarter,2);case"X":return this.num(Math.floor(e.ts/1e3));case"x":return this.num(e.ts);default:return c(h)}},"tokenToString");return Ec(n.parseFormat(t),m)}formatDurationFromString(e,t){let r=this.opts.signMode==="negativeLargestOnly"?-1:1,i=o(c=>{switch(c[0]){case"S":return"milliseconds";case"s":return"seconds";case"m":return"minutes";case"h":return"hours";case"d":return"days";case"w":return"weeks";case"M":return"months";case"y":return"years";default:return null}},"tokenToField"),s=o((c,f)=>m=>{let h=i(m);if(h){let y=f.isNegativeDuration&&h!==f.largestUnit?r:1,k;return this.opts.signMode==="negativeLargestOnly"&&h!==f.largestUnit?k="never":this.opts.signMode==="all"?k="always":k="auto",this.num(c.get(h)*y,m.length,k)}else return m},"tokenToString"),a=n.parseFormat(t),l=a.reduce((c,{literal:f,val:m})=>f?c:c.concat(m),[]),d=e.shiftTo(...l.map(i).filter(c=>c)),u={isNegativeDuration:d<0,largestUnit:Object.keys(d.values)[0]};return Ec(a,s(d,u))}},Ef=/[A-Za-z_+-]{1,256}(?::?\/[A-Za-z0-9_+-]{1,256}(?:\/[A-Za-z0-9_+-]{1,256})?)?/;function yn(...n){let e=n.reduce((t,r)=>t+r.source,"");return RegExp(`^${e}$`)}o(yn,"combineRegexes");function gn(...n){return e=>n.reduce(([t,r,i],s)=>{let[a,l,d]=s(e,i);return[{...t,...a},l||r,d]},[{},null,1]).slice(0,2)}o(gn,"combineExtractors");function kn(n,...e){if(n==null)return[null,null];for(let[t,r]of e){let i=t.exec(n);if(i)return r(i)}return[null,null]}o(kn,"parse");function Of(...n){return(e,t)=>{let r={},i;for(i=0;i<n.length;i++)r[n[i]]=ut(e[t+i]);return[r,null,t+i]}}o(Of,"simpleParse");var xf=/(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)/,Mw=`(?:${xf.source}?(?:\\[(${Ef.source})\\])?)?`,Nl=/(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,30}))?)?)?/,Rf=RegExp(`${Nl.source}${Mw}`),Dl=RegExp(`(?:[Tt]${Rf.source})?`),Sw=/([+-]\d{6}|\d{4})(?:-?(\d\d)(?:-?(\d\d))?)?/,vw=/(\d{4})-?W(\d\d)(?:-?(\d))?/,Aw=/(\d{4})-?(\d{3})/,Cw=Of("weekYear","weekNumber","weekDay"),Ew=Of("year","ordinal"),Ow=/(\d{4})-(\d\d)-(\d\d)/,Tf=RegExp(`${Nl.source} ?(?:${xf.source}|(${Ef.source}))?`),xw=RegExp(`(?: ${Tf.source})?`);function mn(n,e,t){let r=n[e];return A(r)?t:ut(r)}o(mn,"int");function Rw(n,e){return[{year:mn(n,e),month:mn(n,e+1,1),day:mn(n,e+2,1)},null,e+3]}o(Rw,"extractISOYmd");function wn(n,e){return[{hours:mn(n,e,0),minutes:mn(n,e+1,0),seconds:mn(n,e+2,0),milliseconds:Il(n[e+3])},null,e+4]}o(wn,"extractISOTime");function xr(n,e){let t=!n[e]&&!n[e+1],r=Ji(n[e+1],n[e+2]),i=t?null:ge.instance(r);return[{},i,e+3]}o(xr,"extractISOOffset");function Rr(n,e){let t=n[e]?_e.create(n[e]):null;return[{},t,e+1]}o(Rr,"extractIANAZone");var Tw=RegExp(`^T?${Nl.source}$`),Lw=/^-?P(?:(?:(-?\d{1,20}(?:\.\d{1,20})?)Y)?(?:(-?\d{1,20}(?:\.\d{1,20})?)M)?(?:(-?\d{1,20}(?:\.\d{1,20})?)W)?(?:(-?\d{1,20}(?:\.\d{1,20})?)D)?(?:T(?:(-?\d{1,20}(?:\.\d{1,20})?)H)?(?:(-?\d{1,20}(?:\.\d{1,20})?)M)?(?:(-?\d{1,20})(?:[.,](-?\d{1,20}))?S)?)?)$/;function Iw(n){let[e,t,r,i,s,a,l,d,u]=n,c=e[0]==="-",f=d&&d[0]==="-",m=o((h,y=!1)=>h!==void 0&&(y||h&&c)?-h:h,"maybeNegate");return[{years:m(Tt(t)),months:m(Tt(r)),weeks:m(Tt(i)),days:m(Tt(s)),hours:m(Tt(a)),minutes:m(Tt(l)),seconds:m(Tt(d),d==="-0"),milliseconds:m(Il(u),f)}]}o(Iw,"extractISODuration");var Pw={GMT:0,EDT:-240,EST:-300,CDT:-300,CST:-360,MDT:-360,MST:-420,PDT:-420,PST:-480};function Bl(n,e,t,r,i,s,a){let l={year:e.length===2?Ol(ut(e)):ut(e),month:wf.indexOf(t)+1,day:ut(r),hour:ut(i),minute:ut(s)};return a&&(l.second=ut(a)),n&&(l.weekday=n.length>3?Mf.indexOf(n)+1:Sf.indexOf(n)+1),l}o(Bl,"fromStrings");var Nw=/^(?:(Mon|Tue|Wed|Thu|Fri|Sat|Sun),\s)?(\d{1,2})\s(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s(\d{2,4})\s(\d\d):(\d\d)(?::(\d\d))?\s(?:(UT|GMT|[ECMP][SD]T)|([Zz])|(?:([+-]\d\d)(\d\d)))$/;function Dw(n){let[,e,t,r,i,s,a,l,d,u,c,f]=n,m=Bl(e,i,r,t,s,a,l),h;return d?h=Pw[d]:u?h=0:h=Ji(c,f),[m,new ge(h)]}o(Dw,"extractRFC2822");function Bw(n){return n.replace(/\([^()]*\)|[\n\t]/g," ").replace(/(\s\s+)/g," ").trim()}o(Bw,"preprocessRFC2822");var jw=/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/,Uw=/^(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday), (\d\d)-(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-(\d\d) (\d\d):(\d\d):(\d\d) GMT$/,Fw=/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ( \d|\d\d) (\d\d):(\d\d):(\d\d) (\d{4})$/;function Oc(n){let[,e,t,r,i,s,a,l]=n;return[Bl(e,i,r,t,s,a,l),ge.utcInstance]}o(Oc,"extractRFC1123Or850");function Ww(n){let[,e,t,r,i,s,a,l]=n;return[Bl(e,l,t,r,i,s,a),ge.utcInstance]}o(Ww,"extractASCII");var _w=yn(Sw,Dl),Kw=yn(vw,Dl),Vw=yn(Aw,Dl),$w=yn(Rf),Lf=gn(Rw,wn,xr,Rr),Gw=gn(Cw,wn,xr,Rr),qw=gn(Ew,wn,xr,Rr),Hw=gn(wn,xr,Rr);function zw(n){return kn(n,[_w,Lf],[Kw,Gw],[Vw,qw],[$w,Hw])}o(zw,"parseISODate");function Yw(n){return kn(Bw(n),[Nw,Dw])}o(Yw,"parseRFC2822Date");function Zw(n){return kn(n,[jw,Oc],[Uw,Oc],[Fw,Ww])}o(Zw,"parseHTTPDate");function Qw(n){return kn(n,[Lw,Iw])}o(Qw,"parseISODuration");var Jw=gn(wn);function Xw(n){return kn(n,[Tw,Jw])}o(Xw,"parseISOTimeOnly");var eb=yn(Ow,xw),tb=yn(Tf),nb=gn(wn,xr,Rr);function rb(n){return kn(n,[eb,Lf],[tb,nb])}o(rb,"parseSQL");var xc="Invalid Duration",If={weeks:{days:7,hours:168,minutes:10080,seconds:10080*60,milliseconds:10080*60*1e3},days:{hours:24,minutes:1440,seconds:1440*60,milliseconds:1440*60*1e3},hours:{minutes:60,seconds:3600,milliseconds:3600*1e3},minutes:{seconds:60,milliseconds:60*1e3},seconds:{milliseconds:1e3}},ib={years:{quarters:4,months:12,weeks:52,days:365,hours:365*24,minutes:365*24*60,seconds:365*24*60*60,milliseconds:365*24*60*60*1e3},quarters:{months:3,weeks:13,days:91,hours:2184,minutes:2184*60,seconds:2184*60*60,milliseconds:2184*60*60*1e3},months:{weeks:4,days:30,hours:720,minutes:720*60,seconds:720*60*60,milliseconds:720*60*60*1e3},...If},he=146097/400,ln=146097/4800,sb={years:{quarters:4,months:12,weeks:he/7,days:he,hours:he*24,minutes:he*24*60,seconds:he*24*60*60,milliseconds:he*24*60*60*1e3},quarters:{months:3,weeks:he/28,days:he/4,hours:he*24/4,minutes:he*24*60/4,seconds:he*24*60*60/4,milliseconds:he*24*60*60*1e3/4},months:{weeks:ln/7,days:ln,hours:ln*24,minutes:ln*24*60,seconds:ln*24*60*60,milliseconds:ln*24*60*60*1e3},...If},It=["years","quarters","months","weeks","days","hours","minutes","seconds","milliseconds"],ob=It.slice(0).reverse();function Ze(n,e,t=!1){let r={values:t?e.values:{...n.values,...e.values||{}},loc:n.loc.clone(e.loc),conversionAccuracy:e.conversionAccuracy||n.conversionAccuracy,matrix:e.matrix||n.matrix};return new H(r)}o(Ze,"clone$1");function Pf(n,e){let t=e.milliseconds??0;for(let r of ob.slice(1))e[r]&&(t+=e[r]*n[r].milliseconds);return t}o(Pf,"durationToMillis");function Rc(n,e){let t=Pf(n,e)<0?-1:1;It.reduceRight((r,i)=>{if(A(e[i]))return r;if(r){let s=e[r]*t,a=n[i][r],l=Math.floor(s/a);e[i]+=l*t,e[r]-=l*a*t}return i},null),It.reduce((r,i)=>{if(A(e[i]))return r;if(r){let s=e[r]%1;e[r]-=s,e[i]+=s*n[r][i]}return i},null)}o(Rc,"normalizeValues");function Tc(n){let e={};for(let[t,r]of Object.entries(n))r!==0&&(e[t]=r);return e}o(Tc,"removeZeroes");var H=class n{static{o(this,"Duration")}constructor(e){let t=e.conversionAccuracy==="longterm"||!1,r=t?sb:ib;e.matrix&&(r=e.matrix),this.values=e.values,this.loc=e.loc||P.create(),this.conversionAccuracy=t?"longterm":"casual",this.invalid=e.invalid||null,this.matrix=r,this.isLuxonDuration=!0}static fromMillis(e,t){return n.fromObject({milliseconds:e},t)}static fromObject(e,t={}){if(e==null||typeof e!="object")throw new q(`Duration.fromObject: argument expected to be an object, got ${e===null?"null":typeof e}`);return new n({values:zi(e,n.normalizeUnit),loc:P.fromObject(t),conversionAccuracy:t.conversionAccuracy,matrix:t.matrix})}static fromDurationLike(e){if(mt(e))return n.fromMillis(e);if(n.isDuration(e))return e;if(typeof e=="object")return n.fromObject(e);throw new q(`Unknown duration argument ${e} of type ${typeof e}`)}static fromISO(e,t){let[r]=Qw(e);return r?n.fromObject(r,t):n.invalid("unparsable",`the input "${e}" can't be parsed as ISO 8601`)}static fromISOTime(e,t){let[r]=Xw(e);return r?n.fromObject(r,t):n.invalid("unparsable",`the input "${e}" can't be parsed as ISO 8601`)}static invalid(e,t=null){if(!e)throw new q("need to specify a reason the Duration is invalid");let r=e instanceof ae?e:new ae(e,t);if(D.throwOnInvalid)throw new ml(r);return new n({invalid:r})}static normalizeUnit(e){let t={year:"years",years:"years",quarter:"quarters",quarters:"quarters",month:"months",months:"months",week:"weeks",weeks:"weeks",day:"days",days:"days",hour:"hours",hours:"hours",minute:"minutes",minutes:"minutes",second:"seconds",seconds:"seconds",millisecond:"milliseconds",milliseconds:"milliseconds"}[e&&e.toLowerCase()];if(!t)throw new Vi(e);return t}static isDuration(e){return e&&e.isLuxonDuration||!1}get locale(){return this.isValid?this.loc.locale:null}get numberingSystem(){return this.isValid?this.loc.numberingSystem:null}toFormat(e,t={}){let r={...t,floor:t.round!==!1&&t.floor!==!1};return this.isValid?oe.create(this.loc,r).formatDurationFromString(this,e):xc}toHuman(e={}){if(!this.isValid)return xc;let t=e.showZeros!==!1,r=It.map(i=>{let s=this.values[i];return A(s)||s===0&&!t?null:this.loc.numberFormatter({style:"unit",unitDisplay:"long",...e,unit:i.slice(0,-1)}).format(s)}).filter(i=>i);return this.loc.listFormatter({type:"conjunction",style:e.listStyle||"narrow",...e}).format(r)}toObject(){return this.isValid?{...this.values}:{}}toISO(){if(!this.isValid)return null;let e="P";return this.years!==0&&(e+=this.years+"Y"),(this.months!==0||this.quarters!==0)&&(e+=this.months+this.quarters*3+"M"),this.weeks!==0&&(e+=this.weeks+"W"),this.days!==0&&(e+=this.days+"D"),(this.hours!==0||this.minutes!==0||this.seconds!==0||this.milliseconds!==0)&&(e+="T"),this.hours!==0&&(e+=this.hours+"H"),this.minutes!==0&&(e+=this.minutes+"M"),(this.seconds!==0||this.milliseconds!==0)&&(e+=Pl(this.seconds+this.milliseconds/1e3,3)+"S"),e==="P"&&(e+="T0S"),e}toISOTime(e={}){if(!this.isValid)return null;let t=this.toMillis();return t<0||t>=864e5?null:(e={suppressMilliseconds:!1,suppressSeconds:!1,includePrefix:!1,format:"extended",...e,includeOffset:!1},N.fromMillis(t,{zone:"UTC"}).toISOTime(e))}toJSON(){return this.toISO()}toString(){return this.toISO()}[Symbol.for("nodejs.util.inspect.custom")](){return this.isValid?`Duration { values: ${JSON.stringify(this.values)} }`:`Duration { Invalid, reason: ${this.invalidReason} }`}toMillis(){return this.isValid?Pf(this.matrix,this.values):NaN}valueOf(){return this.toMillis()}plus(e){if(!this.isValid)return this;let t=n.fromDurationLike(e),r={};for(let i of It)(pn(t.values,i)||pn(this.values,i))&&(r[i]=t.get(i)+this.get(i));return Ze(this,{values:r},!0)}minus(e){if(!this.isValid)return this;let t=n.fromDurationLike(e);return this.plus(t.negate())}mapUnits(e){if(!this.isValid)return this;let t={};for(let r of Object.keys(this.values))t[r]=kf(e(this.values[r],r));return Ze(this,{values:t},!0)}get(e){return this[n.normalizeUnit(e)]}set(e){if(!this.isValid)return this;let t={...this.values,...zi(e,n.normalizeUnit)};return Ze(this,{values:t})}reconfigure({locale:e,numberingSystem:t,conversionAccuracy:r,matrix:i}={}){let a={loc:this.loc.clone({locale:e,numberingSystem:t}),matrix:i,conversionAccuracy:r};return Ze(this,a)}as(e){return this.isValid?this.shiftTo(e).get(e):NaN}normalize(){if(!this.isValid)return this;let e=this.toObject();return Rc(this.matrix,e),Ze(this,{values:e},!0)}rescale(){if(!this.isValid)return this;let e=Tc(this.normalize().shiftToAll().toObject());return Ze(this,{values:e},!0)}shiftTo(...e){if(!this.isValid)return this;if(e.length===0)return this;e=e.map(a=>n.normalizeUnit(a));let t={},r={},i=this.toObject(),s;for(let a of It)if(e.indexOf(a)>=0){s=a;let l=0;for(let u in r)l+=this.matrix[u][a]*r[u],r[u]=0;mt(i[a])&&(l+=i[a]);let d=Math.trunc(l);t[a]=d,r[a]=(l*1e3-d*1e3)/1e3}else mt(i[a])&&(r[a]=i[a]);for(let a in r)r[a]!==0&&(t[s]+=a===s?r[a]:r[a]/this.matrix[s][a]);return Rc(this.matrix,t),Ze(this,{values:t},!0)}shiftToAll(){return this.isValid?this.shiftTo("years","months","weeks","days","hours","minutes","seconds","milliseconds"):this}negate(){if(!this.isValid)return this;let e={};for(let t of Object.keys(this.values))e[t]=this.values[t]===0?0:-this.values[t];return Ze(this,{values:e},!0)}removeZeros(){if(!this.isValid)return this;let e=Tc(this.values);return Ze(this,{values:e},!0)}get years(){return this.isValid?this.values.years||0:NaN}get quarters(){return this.isValid?this.values.quarters||0:NaN}get months(){return this.isValid?this.values.months||0:NaN}get weeks(){return this.isValid?this.values.weeks||0:NaN}get days(){return this.isValid?this.values.days||0:NaN}get hours(){return this.isValid?this.values.hours||0:NaN}get minutes(){return this.isValid?this.values.minutes||0:NaN}get seconds(){return this.isValid?this.values.seconds||0:NaN}get milliseconds(){return this.isValid?this.values.milliseconds||0:NaN}get isValid(){return this.invalid===null}get invalidReason(){return this.invalid?this.invalid.reason:null}get invalidExplanation(){return this.invalid?this.invalid.explanation:null}equals(e){if(!this.isValid||!e.isValid||!this.loc.equals(e.loc))return!1;function t(r,i){return r===void 0||r===0?i===void 0||i===0:r===i}o(t,"eq");for(let r of It)if(!t(this.values[r],e.values[r]))return!1;return!0}},dn="Invalid Interval";function ab(n,e){return!n||!n.isValid?hn.invalid("missing or invalid start"):!e||!e.isValid?hn.invalid("missing or invalid end"):e<n?hn.invalid("end before start",`The end of an interval must be after its start, but you had start=${n.toISO()} and end=${e.toISO()}`):null}o(ab,"validateStartEnd");var hn=class n{static{o(this,"Interval")}constructor(e){this.s=e.start,this.e=e.end,this.invalid=e.invalid||null,this.isLuxonInterval=!0}static invalid(e,t=null){if(!e)throw new q("need to specify a reason the Interval is invalid");let r=e instanceof ae?e:new ae(e,t);if(D.throwOnInvalid)throw new fl(r);return new n({invalid:r})}static fromDateTimes(e,t){let r=Mr(e),i=Mr(t),s=ab(r,i);return s??new n({start:r,end:i})}static after(e,t){let r=H.fromDurationLike(t),i=Mr(e);return n.fromDateTimes(i,i.plus(r))}static before(e,t){let r=H.fromDurationLike(t),i=Mr(e);return n.fromDateTimes(i.minus(r),i)}static fromISO(e,t){let[r,i]=(e||"").split("/",2);if(r&&i){let s,a;try{s=N.fromISO(r,t),a=s.isValid}catch{a=!1}let l,d;try{l=N.fromISO(i,t),d=l.isValid}catch{d=!1}if(a&&d)return n.fromDateTimes(s,l);if(a){let u=H.fromISO(i,t);if(u.isValid)return n.after(s,u)}else if(d){let u=H.fromISO(r,t);if(u.isValid)return n.before(l,u)}}return n.invalid("unparsable",`the input "${e}" can't be parsed as ISO 8601`)}static isInterval(e){return e&&e.isLuxonInterval||!1}get start(){return this.isValid?this.s:null}get end(){return this.isValid?this.e:null}get lastDateTime(){return this.isValid&&this.e?this.e.minus(1):null}get isValid(){return this.invalidReason===null}get invalidReason(){return this.invalid?this.invalid.reason:null}get invalidExplanation(){return this.invalid?this.invalid.explanation:null}length(e="milliseconds"){return this.isValid?this.toDuration(e).get(e):NaN}count(e="milliseconds",t){if(!this.isValid)return NaN;let r=this.start.startOf(e,t),i;return t?.useLocaleWeeks?i=this.end.reconfigure({locale:r.locale}):i=this.end,i=i.startOf(e,t),Math.floor(i.diff(r,e).get(e))+(i.valueOf()!==this.end.valueOf())}hasSame(e){return this.isValid?this.isEmpty()||this.e.minus(1).hasSame(this.s,e):!1}isEmpty(){return this.s.valueOf()===this.e.valueOf()}isAfter(e){return this.isValid?this.s>e:!1}isBefore(e){return this.isValid?this.e<=e:!1}contains(e){return this.isValid?this.s<=e&&this.e>e:!1}set({start:e,end:t}={}){return this.isValid?n.fromDateTimes(e||this.s,t||this.e):this}splitAt(...e){if(!this.isValid)return[];let t=e.map(Mr).filter(a=>this.contains(a)).sort((a,l)=>a.toMillis()-l.toMillis()),r=[],{s:i}=this,s=0;for(;i<this.e;){let a=t[s]||this.e,l=+a>+this.e?this.e:a;r.push(n.fromDateTimes(i,l)),i=l,s+=1}return r}splitBy(e){let t=H.fromDurationLike(e);if(!this.isValid||!t.isValid||t.as("milliseconds")===0)return[];let{s:r}=this,i=1,s,a=[];for(;r<this.e;){let l=this.start.plus(t.mapUnits(d=>d*i));s=+l>+this.e?this.e:l,a.push(n.fromDateTimes(r,s)),r=s,i+=1}return a}divideEqually(e){return this.isValid?this.splitBy(this.length()/e).slice(0,e):[]}overlaps(e){return this.e>e.s&&this.s<e.e}abutsStart(e){return this.isValid?+this.e==+e.s:!1}abutsEnd(e){return this.isValid?+e.e==+this.s:!1}engulfs(e){return this.isValid?this.s<=e.s&&this.e>=e.e:!1}equals(e){return!this.isValid||!e.isValid?!1:this.s.equals(e.s)&&this.e.equals(e.e)}intersection(e){if(!this.isValid)return this;let t=this.s>e.s?this.s:e.s,r=this.e<e.e?this.e:e.e;return t>=r?null:n.fromDateTimes(t,r)}union(e){if(!this.isValid)return this;let t=this.s<e.s?this.s:e.s,r=this.e>e.e?this.e:e.e;return n.fromDateTimes(t,r)}static merge(e){let[t,r]=e.sort((i,s)=>i.s-s.s).reduce(([i,s],a)=>s?s.overlaps(a)||s.abutsStart(a)?[i,s.union(a)]:[i.concat([s]),a]:[i,a],[[],null]);return r&&t.push(r),t}static xor(e){let t=null,r=0,i=[],s=e.map(d=>[{time:d.s,type:"s"},{time:d.e,type:"e"}]),a=Array.prototype.concat(...s),l=a.sort((d,u)=>d.time-u.time);for(let d of l)r+=d.type==="s"?1:-1,r===1?t=d.time:(t&&+t!=+d.time&&i.push(n.fromDateTimes(t,d.time)),t=null);return n.merge(i)}difference(...e){return n.xor([this].concat(e)).map(t=>this.intersection(t)).filter(t=>t&&!t.isEmpty())}toString(){return this.isValid?`[${this.s.toISO()} \u2013 ${this.e.toISO()})`:dn}[Symbol.for("nodejs.util.inspect.custom")](){return this.isValid?`Interval { start: ${this.s.toISO()}, end: ${this.e.toISO()} }`:`Interval { Invalid, reason: ${this.invalidReason} }`}toLocaleString(e=$i,t={}){return this.isValid?oe.create(this.s.loc.clone(t),e).formatInterval(this):dn}toISO(e){return this.isValid?`${this.s.toISO(e)}/${this.e.toISO(e)}`:dn}toISODate(){return this.isValid?`${this.s.toISODate()}/${this.e.toISODate()}`:dn}toISOTime(e){return this.isValid?`${this.s.toISOTime(e)}/${this.e.toISOTime(e)}`:dn}toFormat(e,{separator:t=" \u2013 "}={}){return this.isValid?`${this.s.toFormat(e)}${t}${this.e.toFormat(e)}`:dn}toDuration(e,t){return this.isValid?this.e.diff(this.s,e,t):H.invalid(this.invalidReason)}mapEndpoints(e){return n.fromDateTimes(e(this.s),e(this.e))}},cn=class{static{o(this,"Info")}static hasDST(e=D.defaultZone){let t=N.now().setZone(e).set({month:12});return!e.isUniversal&&t.offset!==t.set({month:6}).offset}static isValidIANAZone(e){return _e.isValidZone(e)}static normalizeZone(e){return ct(e,D.defaultZone)}static getStartOfWeek({locale:e=null,locObj:t=null}={}){return(t||P.create(e)).getStartOfWeek()}static getMinimumDaysInFirstWeek({locale:e=null,locObj:t=null}={}){return(t||P.create(e)).getMinDaysInFirstWeek()}static getWeekendWeekdays({locale:e=null,locObj:t=null}={}){return(t||P.create(e)).getWeekendDays().slice()}static months(e="long",{locale:t=null,numberingSystem:r=null,locObj:i=null,outputCalendar:s="gregory"}={}){return(i||P.create(t,r,s)).months(e)}static monthsFormat(e="long",{locale:t=null,numberingSystem:r=null,locObj:i=null,outputCalendar:s="gregory"}={}){return(i||P.create(t,r,s)).months(e,!0)}static weekdays(e="long",{locale:t=null,numberingSystem:r=null,locObj:i=null}={}){return(i||P.create(t,r,null)).weekdays(e)}static weekdaysFormat(e="long",{locale:t=null,numberingSystem:r=null,locObj:i=null}={}){return(i||P.create(t,r,null)).weekdays(e,!0)}static meridiems({locale:e=null}={}){return P.create(e).meridiems()}static eras(e="short",{locale:t=null}={}){return P.create(t,null,"gregory").eras(e)}static features(){return{relative:pf(),localeWeek:yf()}}};function Lc(n,e){let t=o(i=>i.toUTC(0,{keepLocalTime:!0}).startOf("day").valueOf(),"utcDayStart"),r=t(e)-t(n);return Math.floor(H.fromMillis(r).as("days"))}o(Lc,"dayDiff");function lb(n,e,t){let r=[["years",(d,u)=>u.year-d.year],["quarters",(d,u)=>u.quarter-d.quarter+(u.year-d.year)*4],["months",(d,u)=>u.month-d.month+(u.year-d.year)*12],["weeks",(d,u)=>{let c=Lc(d,u);return(c-c%7)/7}],["days",Lc]],i={},s=n,a,l;for(let[d,u]of r)t.indexOf(d)>=0&&(a=d,i[d]=u(n,e),l=s.plus(i),l>e?(i[d]--,n=s.plus(i),n>e&&(l=n,i[d]--,n=s.plus(i))):n=l);return[n,i,l,a]}o(lb,"highOrderDiffs");function db(n,e,t,r){let[i,s,a,l]=lb(n,e,t),d=e-i,u=t.filter(f=>["hours","minutes","seconds","milliseconds"].indexOf(f)>=0);u.length===0&&(a<e&&(a=i.plus({[l]:1})),a!==i&&(s[l]=(s[l]||0)+d/(a-i)));let c=H.fromObject(s,r);return u.length>0?H.fromMillis(d,r).shiftTo(...u).plus(c):c}o(db,"diff");var ub="missing Intl.DateTimeFormat.formatToParts support";function L(n,e=t=>t){return{regex:n,deser:o(([t])=>e(ew(t)),"deser")}}o(L,"intUnit");var cb="\xA0",Nf=`[ ${cb}]`,Df=new RegExp(Nf,"g");function fb(n){return n.replace(/\./g,"\\.?").replace(Df,Nf)}o(fb,"fixListRegex");function Ic(n){return n.replace(/\./g,"").replace(Df," ").toLowerCase()}o(Ic,"stripInsensitivities");function Oe(n,e){return n===null?null:{regex:RegExp(n.map(fb).join("|")),deser:o(([t])=>n.findIndex(r=>Ic(t)===Ic(r))+e,"deser")}}o(Oe,"oneOf");function Pc(n,e){return{regex:n,deser:o(([,t,r])=>Ji(t,r),"deser"),groups:e}}o(Pc,"offset");function ji(n){return{regex:n,deser:o(([e])=>e,"deser")}}o(ji,"simple");function mb(n){return n.replace(/[\-\[\]{}()*+?.,\\\^$|#\s]/g,"\\$&")}o(mb,"escapeToken");function hb(n,e){let t=Ee(e),r=Ee(e,"{2}"),i=Ee(e,"{3}"),s=Ee(e,"{4}"),a=Ee(e,"{6}"),l=Ee(e,"{1,2}"),d=Ee(e,"{1,3}"),u=Ee(e,"{1,6}"),c=Ee(e,"{1,9}"),f=Ee(e,"{2,4}"),m=Ee(e,"{4,6}"),h=o(C=>({regex:RegExp(mb(C.val)),deser:o(([O])=>O,"deser"),literal:!0}),"literal"),k=o(C=>{if(n.literal)return h(C);switch(C.val){case"G":return Oe(e.eras("short"),0);case"GG":return Oe(e.eras("long"),0);case"y":return L(u);case"yy":return L(f,Ol);case"yyyy":return L(s);case"yyyyy":return L(m);case"yyyyyy":return L(a);case"M":return L(l);case"MM":return L(r);case"MMM":return Oe(e.months("short",!0),1);case"MMMM":return Oe(e.months("long",!0),1);case"L":return L(l);case"LL":return L(r);case"LLL":return Oe(e.months("short",!1),1);case"LLLL":return Oe(e.months("long",!1),1);case"d":return L(l);case"dd":return L(r);case"o":return L(d);case"ooo":return L(i);case"HH":return L(r);case"H":return L(l);case"hh":return L(r);case"h":return L(l);case"mm":return L(r);case"m":return L(l);case"q":return L(l);case"qq":return L(r);case"s":return L(l);case"ss":return L(r);case"S":return L(d);case"SSS":return L(i);case"u":return ji(c);case"uu":return ji(l);case"uuu":return L(t);case"a":return Oe(e.meridiems(),0);case"kkkk":return L(s);case"kk":return L(f,Ol);case"W":return L(l);case"WW":return L(r);case"E":case"c":return L(t);case"EEE":return Oe(e.weekdays("short",!1),1);case"EEEE":return Oe(e.weekdays("long",!1),1);case"ccc":return Oe(e.weekdays("short",!0),1);case"cccc":return Oe(e.weekdays("long",!0),1);case"Z":case"ZZ":return Pc(new RegExp(`([+-]${l.source})(?::(${r.source}))?`),2);case"ZZZ":return Pc(new RegExp(`([+-]${l.source})(${r.source})?`),2);case"z":return ji(/[a-z_+-/]{1,256}?/i);case" ":return ji(/[^\S\n\r]/);default:return h(C)}},"unitate")(n)||{invalidReason:ub};return k.token=n,k}o(hb,"unitForToken");var pb={year:{"2-digit":"yy",numeric:"yyyyy"},month:{numeric:"M","2-digit":"MM",short:"MMM",long:"MMMM"},day:{numeric:"d","2-digit":"dd"},weekday:{short:"EEE",long:"EEEE"},dayperiod:"a",dayPeriod:"a",hour12:{numeric:"h","2-digit":"hh"},hour24:{numeric:"H","2-digit":"HH"},minute:{numeric:"m","2-digit":"mm"},second:{numeric:"s","2-digit":"ss"},timeZoneName:{long:"ZZZZZ",short:"ZZZ"}};function yb(n,e,t){let{type:r,value:i}=n;if(r==="literal"){let d=/^\s+$/.test(i);return{literal:!d,val:d?" ":i}}let s=e[r],a=r;r==="hour"&&(e.hour12!=null?a=e.hour12?"hour12":"hour24":e.hourCycle!=null?e.hourCycle==="h11"||e.hourCycle==="h12"?a="hour12":a="hour24":a=t.hour12?"hour12":"hour24");let l=pb[a];if(typeof l=="object"&&(l=l[s]),l)return{literal:!1,val:l}}o(yb,"tokenForPart");function gb(n){return[`^${n.map(t=>t.regex).reduce((t,r)=>`${t}(${r.source})`,"")}$`,n]}o(gb,"buildRegex");function kb(n,e,t){let r=n.match(e);if(r){let i={},s=1;for(let a in t)if(pn(t,a)){let l=t[a],d=l.groups?l.groups+1:1;!l.literal&&l.token&&(i[l.token.val[0]]=l.deser(r.slice(s,s+d))),s+=d}return[r,i]}else return[r,{}]}o(kb,"match");function wb(n){let e=o(s=>{switch(s){case"S":return"millisecond";case"s":return"second";case"m":return"minute";case"h":case"H":return"hour";case"d":return"day";case"o":return"ordinal";case"L":case"M":return"month";case"y":return"year";case"E":case"c":return"weekday";case"W":return"weekNumber";case"k":return"weekYear";case"q":return"quarter";default:return null}},"toField"),t=null,r;return A(n.z)||(t=_e.create(n.z)),A(n.Z)||(t||(t=new ge(n.Z)),r=n.Z),A(n.q)||(n.M=(n.q-1)*3+1),A(n.h)||(n.h<12&&n.a===1?n.h+=12:n.h===12&&n.a===0&&(n.h=0)),n.G===0&&n.y&&(n.y=-n.y),A(n.u)||(n.S=Il(n.u)),[Object.keys(n).reduce((s,a)=>{let l=e(a);return l&&(s[l]=n[a]),s},{}),t,r]}o(wb,"dateTimeFromMatches");var ol=null;function bb(){return ol||(ol=N.fromMillis(1555555555555)),ol}o(bb,"getDummyDateTime");function Mb(n,e){if(n.literal)return n;let t=oe.macroTokenToFormatOpts(n.val),r=Uf(t,e);return r==null||r.includes(void 0)?n:r}o(Mb,"maybeExpandMacroToken");function Bf(n,e){return Array.prototype.concat(...n.map(t=>Mb(t,e)))}o(Bf,"expandMacroTokens");var Yi=class{static{o(this,"TokenParser")}constructor(e,t){if(this.locale=e,this.format=t,this.tokens=Bf(oe.parseFormat(t),e),this.units=this.tokens.map(r=>hb(r,e)),this.disqualifyingUnit=this.units.find(r=>r.invalidReason),!this.disqualifyingUnit){let[r,i]=gb(this.units);this.regex=RegExp(r,"i"),this.handlers=i}}explainFromTokens(e){if(this.isValid){let[t,r]=kb(e,this.regex,this.handlers),[i,s,a]=r?wb(r):[null,null,void 0];if(pn(r,"a")&&pn(r,"H"))throw new ft("Can't include meridiem when specifying 24-hour format");return{input:e,tokens:this.tokens,regex:this.regex,rawMatches:t,matches:r,result:i,zone:s,specificOffset:a}}else return{input:e,tokens:this.tokens,invalidReason:this.invalidReason}}get isValid(){return!this.disqualifyingUnit}get invalidReason(){return this.disqualifyingUnit?this.disqualifyingUnit.invalidReason:null}};function jf(n,e,t){return new Yi(n,t).explainFromTokens(e)}o(jf,"explainFromTokens");function Sb(n,e,t){let{result:r,zone:i,specificOffset:s,invalidReason:a}=jf(n,e,t);return[r,i,s,a]}o(Sb,"parseFromTokens");function Uf(n,e){if(!n)return null;let r=oe.create(e,n).dtFormatter(bb()),i=r.formatToParts(),s=r.resolvedOptions();return i.map(a=>yb(a,n,s))}o(Uf,"formatOptsToTokens");var al="Invalid DateTime",Nc=864e13;function vr(n){return new ae("unsupported zone",`the zone "${n.name}" is not supported`)}o(vr,"unsupportedZone");function ll(n){return n.weekData===null&&(n.weekData=qi(n.c)),n.weekData}o(ll,"possiblyCachedWeekData");function dl(n){return n.localWeekData===null&&(n.localWeekData=qi(n.c,n.loc.getMinDaysInFirstWeek(),n.loc.getStartOfWeek())),n.localWeekData}o(dl,"possiblyCachedLocalWeekData");function Lt(n,e){let t={ts:n.ts,zone:n.zone,c:n.c,o:n.o,loc:n.loc,invalid:n.invalid};return new N({...t,...e,old:t})}o(Lt,"clone");function Ff(n,e,t){let r=n-e*60*1e3,i=t.offset(r);if(e===i)return[r,e];r-=(i-e)*60*1e3;let s=t.offset(r);return i===s?[r,i]:[n-Math.min(i,s)*60*1e3,Math.max(i,s)]}o(Ff,"fixOffset");function Ui(n,e){n+=e*60*1e3;let t=new Date(n);return{year:t.getUTCFullYear(),month:t.getUTCMonth()+1,day:t.getUTCDate(),hour:t.getUTCHours(),minute:t.getUTCMinutes(),second:t.getUTCSeconds(),millisecond:t.getUTCMilliseconds()}}o(Ui,"tsToObj");function Wi(n,e,t){return Ff(Qi(n),e,t)}o(Wi,"objToTS");function Dc(n,e){let t=n.o,r=n.c.year+Math.trunc(e.years),i=n.c.month+Math.trunc(e.months)+Math.trunc(e.quarters)*3,s={...n.c,year:r,month:i,day:Math.min(n.c.day,Hi(r,i))+Math.trunc(e.days)+Math.trunc(e.weeks)*7},a=H.fromObject({years:e.years-Math.trunc(e.years),quarters:e.quarters-Math.trunc(e.quarters),months:e.months-Math.trunc(e.months),weeks:e.weeks-Math.trunc(e.weeks),days:e.days-Math.trunc(e.days),hours:e.hours,minutes:e.minutes,seconds:e.seconds,milliseconds:e.milliseconds}).as("milliseconds"),l=Qi(s),[d,u]=Ff(l,t,n.zone);return a!==0&&(d+=a,u=n.zone.offset(d)),{ts:d,o:u}}o(Dc,"adjustTime");function un(n,e,t,r,i,s){let{setZone:a,zone:l}=t;if(n&&Object.keys(n).length!==0||e){let d=e||l,u=N.fromObject(n,{...t,zone:d,specificOffset:s});return a?u:u.setZone(l)}else return N.invalid(new ae("unparsable",`the input "${i}" can't be parsed as ${r}`))}o(un,"parseDataToDateTime");function Fi(n,e,t=!0){return n.isValid?oe.create(P.create("en-US"),{allowZ:t,forceSimple:!0}).formatDateTimeFromString(n,e):null}o(Fi,"toTechFormat");function ul(n,e,t){let r=n.c.year>9999||n.c.year<0,i="";if(r&&n.c.year>=0&&(i+="+"),i+=F(n.c.year,r?6:4),t==="year")return i;if(e){if(i+="-",i+=F(n.c.month),t==="month")return i;i+="-"}else if(i+=F(n.c.month),t==="month")return i;return i+=F(n.c.day),i}o(ul,"toISODate");function Bc(n,e,t,r,i,s,a){let l=!t||n.c.millisecond!==0||n.c.second!==0,d="";switch(a){case"day":case"month":case"year":break;default:if(d+=F(n.c.hour),a==="hour")break;if(e){if(d+=":",d+=F(n.c.minute),a==="minute")break;l&&(d+=":",d+=F(n.c.second))}else{if(d+=F(n.c.minute),a==="minute")break;l&&(d+=F(n.c.second))}if(a==="second")break;l&&(!r||n.c.millisecond!==0)&&(d+=".",d+=F(n.c.millisecond,3))}return i&&(n.isOffsetFixed&&n.offset===0&&!s?d+="Z":n.o<0?(d+="-",d+=F(Math.trunc(-n.o/60)),d+=":",d+=F(Math.trunc(-n.o%60))):(d+="+",d+=F(Math.trunc(n.o/60)),d+=":",d+=F(Math.trunc(n.o%60)))),s&&(d+="["+n.zone.ianaName+"]"),d}o(Bc,"toISOTime");var Wf={month:1,day:1,hour:0,minute:0,second:0,millisecond:0},vb={weekNumber:1,weekday:1,hour:0,minute:0,second:0,millisecond:0},Ab={ordinal:1,hour:0,minute:0,second:0,millisecond:0},_i=["year","month","day","hour","minute","second","millisecond"],Cb=["weekYear","weekNumber","weekday","hour","minute","second","millisecond"],Eb=["year","ordinal","hour","minute","second","millisecond"];function Ki(n){let e={year:"year",years:"year",month:"month",months:"month",day:"day",days:"day",hour:"hour",hours:"hour",minute:"minute",minutes:"minute",quarter:"quarter",quarters:"quarter",second:"second",seconds:"second",millisecond:"millisecond",milliseconds:"millisecond",weekday:"weekday",weekdays:"weekday",weeknumber:"weekNumber",weeksnumber:"weekNumber",weeknumbers:"weekNumber",weekyear:"weekYear",weekyears:"weekYear",ordinal:"ordinal"}[n.toLowerCase()];if(!e)throw new Vi(n);return e}o(Ki,"normalizeUnit");function jc(n){switch(n.toLowerCase()){case"localweekday":case"localweekdays":return"localWeekday";case"localweeknumber":case"localweeknumbers":return"localWeekNumber";case"localweekyear":case"localweekyears":return"localWeekYear";default:return Ki(n)}}o(jc,"normalizeUnitWithLocalWeeks");function Ob(n){if(Ar===void 0&&(Ar=D.now()),n.type!=="iana")return n.offset(Ar);let e=n.name,t=xl.get(e);return t===void 0&&(t=n.offset(Ar),xl.set(e,t)),t}o(Ob,"guessOffsetForZone");function Uc(n,e){let t=ct(e.zone,D.defaultZone);if(!t.isValid)return N.invalid(vr(t));let r=P.fromObject(e),i,s;if(A(n.year))i=D.now();else{for(let d of _i)A(n[d])&&(n[d]=Wf[d]);let a=mf(n)||hf(n);if(a)return N.invalid(a);let l=Ob(t);[i,s]=Wi(n,l,t)}return new N({ts:i,zone:t,loc:r,o:s})}o(Uc,"quickDT");function Fc(n,e,t){let r=A(t.round)?!0:t.round,i=A(t.rounding)?"trunc":t.rounding,s=o((l,d)=>(l=Pl(l,r||t.calendary?0:2,t.calendary?"round":i),e.loc.clone(t).relFormatter(t).format(l,d)),"format"),a=o(l=>t.calendary?e.hasSame(n,l)?0:e.startOf(l).diff(n.startOf(l),l).get(l):e.diff(n,l).get(l),"differ");if(t.unit)return s(a(t.unit),t.unit);for(let l of t.units){let d=a(l);if(Math.abs(d)>=1)return s(d,l)}return s(n>e?-0:0,t.units[t.units.length-1])}o(Fc,"diffRelative");function Wc(n){let e={},t;return n.length>0&&typeof n[n.length-1]=="object"?(e=n[n.length-1],t=Array.from(n).slice(0,n.length-1)):t=Array.from(n),[e,t]}o(Wc,"lastOpts");var Ar,xl=new Map,N=class n{static{o(this,"DateTime")}constructor(e){let t=e.zone||D.defaultZone,r=e.invalid||(Number.isNaN(e.ts)?new ae("invalid input"):null)||(t.isValid?null:vr(t));this.ts=A(e.ts)?D.now():e.ts;let i=null,s=null;if(!r)if(e.old&&e.old.ts===this.ts&&e.old.zone.equals(t))[i,s]=[e.old.c,e.old.o];else{let l=mt(e.o)&&!e.old?e.o:t.offset(this.ts);i=Ui(this.ts,l),r=Number.isNaN(i.year)?new ae("invalid input"):null,i=r?null:i,s=r?null:l}this._zone=t,this.loc=e.loc||P.create(),this.invalid=r,this.weekData=null,this.localWeekData=null,this.c=i,this.o=s,this.isLuxonDateTime=!0}static now(){return new n({})}static local(){let[e,t]=Wc(arguments),[r,i,s,a,l,d,u]=t;return Uc({year:r,month:i,day:s,hour:a,minute:l,second:d,millisecond:u},e)}static utc(){let[e,t]=Wc(arguments),[r,i,s,a,l,d,u]=t;return e.zone=ge.utcInstance,Uc({year:r,month:i,day:s,hour:a,minute:l,second:d,millisecond:u},e)}static fromJSDate(e,t={}){let r=sw(e)?e.valueOf():NaN;if(Number.isNaN(r))return n.invalid("invalid input");let i=ct(t.zone,D.defaultZone);return i.isValid?new n({ts:r,zone:i,loc:P.fromObject(t)}):n.invalid(vr(i))}static fromMillis(e,t={}){if(mt(e))return e<-Nc||e>Nc?n.invalid("Timestamp out of range"):new n({ts:e,zone:ct(t.zone,D.defaultZone),loc:P.fromObject(t)});throw new q(`fromMillis requires a numerical input, but received a ${typeof e} with value ${e}`)}static fromSeconds(e,t={}){if(mt(e))return new n({ts:e*1e3,zone:ct(t.zone,D.defaultZone),loc:P.fromObject(t)});throw new q("fromSeconds requires a numerical input")}static fromObject(e,t={}){e=e||{};let r=ct(t.zone,D.defaultZone);if(!r.isValid)return n.invalid(vr(r));let i=P.fromObject(t),s=zi(e,jc),{minDaysInFirstWeek:a,startOfWeek:l}=vc(s,i),d=D.now(),u=A(t.specificOffset)?r.offset(d):t.specificOffset,c=!A(s.ordinal),f=!A(s.year),m=!A(s.month)||!A(s.day),h=f||m,y=s.weekYear||s.weekNumber;if((h||c)&&y)throw new ft("Can't mix weekYear/weekNumber units with year/month/day or ordinals");if(m&&c)throw new ft("Can't mix ordinal dates with month/day");let k=y||s.weekday&&!h,C,O,I=Ui(d,u);k?(C=Cb,O=vb,I=qi(I,a,l)):c?(C=Eb,O=Ab,I=sl(I)):(C=_i,O=Wf);let ve=!1;for(let mr of C){let Jg=s[mr];A(Jg)?ve?s[mr]=O[mr]:s[mr]=I[mr]:ve=!0}let nn=k?nw(s,a,l):c?rw(s):mf(s),rn=nn||hf(s);if(rn)return n.invalid(rn);let Q=k?Mc(s,a,l):c?Sc(s):s,[Mi,Qg]=Wi(Q,u,r),fr=new n({ts:Mi,zone:r,o:Qg,loc:i});return s.weekday&&h&&e.weekday!==fr.weekday?n.invalid("mismatched weekday",`you can't specify both a weekday of ${s.weekday} and a date of ${fr.toISO()}`):fr.isValid?fr:n.invalid(fr.invalid)}static fromISO(e,t={}){let[r,i]=zw(e);return un(r,i,t,"ISO 8601",e)}static fromRFC2822(e,t={}){let[r,i]=Yw(e);return un(r,i,t,"RFC 2822",e)}static fromHTTP(e,t={}){let[r,i]=Zw(e);return un(r,i,t,"HTTP",t)}static fromFormat(e,t,r={}){if(A(e)||A(t))throw new q("fromFormat requires an input string and a format");let{locale:i=null,numberingSystem:s=null}=r,a=P.fromOpts({locale:i,numberingSystem:s,defaultToEN:!0}),[l,d,u,c]=Sb(a,e,t);return c?n.invalid(c):un(l,d,r,`format ${t}`,e,u)}static fromString(e,t,r={}){return n.fromFormat(e,t,r)}static fromSQL(e,t={}){let[r,i]=rb(e);return un(r,i,t,"SQL",e)}static invalid(e,t=null){if(!e)throw new q("need to specify a reason the DateTime is invalid");let r=e instanceof ae?e:new ae(e,t);if(D.throwOnInvalid)throw new cl(r);return new n({invalid:r})}static isDateTime(e){return e&&e.isLuxonDateTime||!1}static parseFormatForOpts(e,t={}){let r=Uf(e,P.fromObject(t));return r?r.map(i=>i?i.val:null).join(""):null}static expandFormat(e,t={}){return Bf(oe.parseFormat(e),P.fromObject(t)).map(i=>i.val).join("")}static resetCache(){Ar=void 0,xl.clear()}get(e){return this[e]}get isValid(){return this.invalid===null}get invalidReason(){return this.invalid?this.invalid.reason:null}get invalidExplanation(){return this.invalid?this.invalid.explanation:null}get locale(){return this.isValid?this.loc.locale:null}get numberingSystem(){return this.isValid?this.loc.numberingSystem:null}get outputCalendar(){return this.isValid?this.loc.outputCalendar:null}get zone(){return this._zone}get zoneName(){return this.isValid?this.zone.name:null}get year(){return this.isValid?this.c.year:NaN}get quarter(){return this.isValid?Math.ceil(this.c.month/3):NaN}get month(){return this.isValid?this.c.month:NaN}get day(){return this.isValid?this.c.day:NaN}get hour(){return this.isValid?this.c.hour:NaN}get minute(){return this.isValid?this.c.minute:NaN}get second(){return this.isValid?this.c.second:NaN}get millisecond(){return this.isValid?this.c.millisecond:NaN}get weekYear(){return this.isValid?ll(this).weekYear:NaN}get weekNumber(){return this.isValid?ll(this).weekNumber:NaN}get weekday(){return this.isValid?ll(this).weekday:NaN}get isWeekend(){return this.isValid&&this.loc.getWeekendDays().includes(this.weekday)}get localWeekday(){return this.isValid?dl(this).weekday:NaN}get localWeekNumber(){return this.isValid?dl(this).weekNumber:NaN}get localWeekYear(){return this.isValid?dl(this).weekYear:NaN}get ordinal(){return this.isValid?sl(this.c).ordinal:NaN}get monthShort(){return this.isValid?cn.months("short",{locObj:this.loc})[this.month-1]:null}get monthLong(){return this.isValid?cn.months("long",{locObj:this.loc})[this.month-1]:null}get weekdayShort(){return this.isValid?cn.weekdays("short",{locObj:this.loc})[this.weekday-1]:null}get weekdayLong(){return this.isValid?cn.weekdays("long",{locObj:this.loc})[this.weekday-1]:null}get offset(){return this.isValid?+this.o:NaN}get offsetNameShort(){return this.isValid?this.zone.offsetName(this.ts,{format:"short",locale:this.locale}):null}get offsetNameLong(){return this.isValid?this.zone.offsetName(this.ts,{format:"long",locale:this.locale}):null}get isOffsetFixed(){return this.isValid?this.zone.isUniversal:null}get isInDST(){return this.isOffsetFixed?!1:this.offset>this.set({month:1,day:1}).offset||this.offset>this.set({month:5}).offset}getPossibleOffsets(){if(!this.isValid||this.isOffsetFixed)return[this];let e=864e5,t=6e4,r=Qi(this.c),i=this.zone.offset(r-e),s=this.zone.offset(r+e),a=this.zone.offset(r-i*t),l=this.zone.offset(r-s*t);if(a===l)return[this];let d=r-a*t,u=r-l*t,c=Ui(d,a),f=Ui(u,l);return c.hour===f.hour&&c.minute===f.minute&&c.second===f.second&&c.millisecond===f.millisecond?[Lt(this,{ts:d}),Lt(this,{ts:u})]:[this]}get isInLeapYear(){return Or(this.year)}get daysInMonth(){return Hi(this.year,this.month)}get daysInYear(){return this.isValid?fn(this.year):NaN}get weeksInWeekYear(){return this.isValid?Er(this.weekYear):NaN}get weeksInLocalWeekYear(){return this.isValid?Er(this.localWeekYear,this.loc.getMinDaysInFirstWeek(),this.loc.getStartOfWeek()):NaN}resolvedLocaleOptions(e={}){let{locale:t,numberingSystem:r,calendar:i}=oe.create(this.loc.clone(e),e).resolvedOptions(this);return{locale:t,numberingSystem:r,outputCalendar:i}}toUTC(e=0,t={}){return this.setZone(ge.instance(e),t)}toLocal(){return this.setZone(D.defaultZone)}setZone(e,{keepLocalTime:t=!1,keepCalendarTime:r=!1}={}){if(e=ct(e,D.defaultZone),e.equals(this.zone))return this;if(e.isValid){let i=this.ts;if(t||r){let s=e.offset(this.ts),a=this.toObject();[i]=Wi(a,s,e)}return Lt(this,{ts:i,zone:e})}else return n.invalid(vr(e))}reconfigure({locale:e,numberingSystem:t,outputCalendar:r}={}){let i=this.loc.clone({locale:e,numberingSystem:t,outputCalendar:r});return Lt(this,{loc:i})}setLocale(e){return this.reconfigure({locale:e})}set(e){if(!this.isValid)return this;let t=zi(e,jc),{minDaysInFirstWeek:r,startOfWeek:i}=vc(t,this.loc),s=!A(t.weekYear)||!A(t.weekNumber)||!A(t.weekday),a=!A(t.ordinal),l=!A(t.year),d=!A(t.month)||!A(t.day),u=l||d,c=t.weekYear||t.weekNumber;if((u||a)&&c)throw new ft("Can't mix weekYear/weekNumber units with year/month/day or ordinals");if(d&&a)throw new ft("Can't mix ordinal dates with month/day");let f;s?f=Mc({...qi(this.c,r,i),...t},r,i):A(t.ordinal)?(f={...this.toObject(),...t},A(t.day)&&(f.day=Math.min(Hi(f.year,f.month),f.day))):f=Sc({...sl(this.c),...t});let[m,h]=Wi(f,this.o,this.zone);return Lt(this,{ts:m,o:h})}plus(e){if(!this.isValid)return this;let t=H.fromDurationLike(e);return Lt(this,Dc(this,t))}minus(e){if(!this.isValid)return this;let t=H.fromDurationLike(e).negate();return Lt(this,Dc(this,t))}startOf(e,{useLocaleWeeks:t=!1}={}){if(!this.isValid)return this;let r={},i=H.normalizeUnit(e);switch(i){case"years":r.month=1;case"quarters":case"months":r.day=1;case"weeks":case"days":r.hour=0;case"hours":r.minute=0;case"minutes":r.second=0;case"seconds":r.millisecond=0;break}if(i==="weeks")if(t){let s=this.loc.getStartOfWeek(),{weekday:a}=this;a<s&&(r.weekNumber=this.weekNumber-1),r.weekday=s}else r.weekday=1;if(i==="quarters"){let s=Math.ceil(this.month/3);r.month=(s-1)*3+1}return this.set(r)}endOf(e,t){return this.isValid?this.plus({[e]:1}).startOf(e,t).minus(1):this}toFormat(e,t={}){return this.isValid?oe.create(this.loc.redefaultToEN(t)).formatDateTimeFromString(this,e):al}toLocaleString(e=$i,t={}){return this.isValid?oe.create(this.loc.clone(t),e).formatDateTime(this):al}toLocaleParts(e={}){return this.isValid?oe.create(this.loc.clone(e),e).formatDateTimeParts(this):[]}toISO({format:e="extended",suppressSeconds:t=!1,suppressMilliseconds:r=!1,includeOffset:i=!0,extendedZone:s=!1,precision:a="milliseconds"}={}){if(!this.isValid)return null;a=Ki(a);let l=e==="extended",d=ul(this,l,a);return _i.indexOf(a)>=3&&(d+="T"),d+=Bc(this,l,t,r,i,s,a),d}toISODate({format:e="extended",precision:t="day"}={}){return this.isValid?ul(this,e==="extended",Ki(t)):null}toISOWeekDate(){return Fi(this,"kkkk-'W'WW-c")}toISOTime({suppressMilliseconds:e=!1,suppressSeconds:t=!1,includeOffset:r=!0,includePrefix:i=!1,extendedZone:s=!1,format:a="extended",precision:l="milliseconds"}={}){return this.isValid?(l=Ki(l),(i&&_i.indexOf(l)>=3?"T":"")+Bc(this,a==="extended",t,e,r,s,l)):null}toRFC2822(){return Fi(this,"EEE, dd LLL yyyy HH:mm:ss ZZZ",!1)}toHTTP(){return Fi(this.toUTC(),"EEE, dd LLL yyyy HH:mm:ss 'GMT'")}toSQLDate(){return this.isValid?ul(this,!0):null}toSQLTime({includeOffset:e=!0,includeZone:t=!1,includeOffsetSpace:r=!0}={}){let i="HH:mm:ss.SSS";return(t||e)&&(r&&(i+=" "),t?i+="z":e&&(i+="ZZ")),Fi(this,i,!0)}toSQL(e={}){return this.isValid?`${this.toSQLDate()} ${this.toSQLTime(e)}`:null}toString(){return this.isValid?this.toISO():al}[Symbol.for("nodejs.util.inspect.custom")](){return this.isValid?`DateTime { ts: ${this.toISO()}, zone: ${this.zone.name}, locale: ${this.locale} }`:`DateTime { Invalid, reason: ${this.invalidReason} }`}valueOf(){return this.toMillis()}toMillis(){return this.isValid?this.ts:NaN}toSeconds(){return this.isValid?this.ts/1e3:NaN}toUnixInteger(){return this.isValid?Math.floor(this.ts/1e3):NaN}toJSON(){return this.toISO()}toBSON(){return this.toJSDate()}toObject(e={}){if(!this.isValid)return{};let t={...this.c};return e.includeConfig&&(t.outputCalendar=this.outputCalendar,t.numberingSystem=this.loc.numberingSystem,t.locale=this.loc.locale),t}toJSDate(){return new Date(this.isValid?this.ts:NaN)}diff(e,t="milliseconds",r={}){if(!this.isValid||!e.isValid)return H.invalid("created by diffing an invalid DateTime");let i={locale:this.locale,numberingSystem:this.numberingSystem,...r},s=ow(t).map(H.normalizeUnit),a=e.valueOf()>this.valueOf(),l=a?this:e,d=a?e:this,u=db(l,d,s,i);return a?u.negate():u}diffNow(e="milliseconds",t={}){return this.diff(n.now(),e,t)}until(e){return this.isValid?hn.fromDateTimes(this,e):this}hasSame(e,t,r){if(!this.isValid)return!1;let i=e.valueOf(),s=this.setZone(e.zone,{keepLocalTime:!0});return s.startOf(t,r)<=i&&i<=s.endOf(t,r)}equals(e){return this.isValid&&e.isValid&&this.valueOf()===e.valueOf()&&this.zone.equals(e.zone)&&this.loc.equals(e.loc)}toRelative(e={}){if(!this.isValid)return null;let t=e.base||n.fromObject({},{zone:this.zone}),r=e.padding?this<t?-e.padding:e.padding:0,i=["years","months","days","hours","minutes","seconds"],s=e.unit;return Array.isArray(e.unit)&&(i=e.unit,s=void 0),Fc(t,this.plus(r),{...e,numeric:"always",units:i,unit:s})}toRelativeCalendar(e={}){return this.isValid?Fc(e.base||n.fromObject({},{zone:this.zone}),this,{...e,numeric:"auto",units:["years","months","days"],calendary:!0}):null}static min(...e){if(!e.every(n.isDateTime))throw new q("min requires all arguments be DateTimes");return Ac(e,t=>t.valueOf(),Math.min)}static max(...e){if(!e.every(n.isDateTime))throw new q("max requires all arguments be DateTimes");return Ac(e,t=>t.valueOf(),Math.max)}static fromFormatExplain(e,t,r={}){let{locale:i=null,numberingSystem:s=null}=r,a=P.fromOpts({locale:i,numberingSystem:s,defaultToEN:!0});return jf(a,e,t)}static fromStringExplain(e,t,r={}){return n.fromFormatExplain(e,t,r)}static buildFormatParser(e,t={}){let{locale:r=null,numberingSystem:i=null}=t,s=P.fromOpts({locale:r,numberingSystem:i,defaultToEN:!0});return new Yi(s,e)}static fromFormatParser(e,t,r={}){if(A(e)||A(t))throw new q("fromFormatParser requires an input string and a format parser");let{locale:i=null,numberingSystem:s=null}=r,a=P.fromOpts({locale:i,numberingSystem:s,defaultToEN:!0});if(!a.equals(t.locale))throw new q(`fromFormatParser called with a locale of ${a}, but the format parser was created for ${t.locale}`);let{result:l,zone:d,specificOffset:u,invalidReason:c}=t.explainFromTokens(e);return c?n.invalid(c):un(l,d,r,`format ${t.format}`,e,u)}static get DATE_SHORT(){return $i}static get DATE_MED(){return _c}static get DATE_MED_WITH_WEEKDAY(){return jk}static get DATE_FULL(){return Kc}static get DATE_HUGE(){return Vc}static get TIME_SIMPLE(){return $c}static get TIME_WITH_SECONDS(){return Gc}static get TIME_WITH_SHORT_OFFSET(){return qc}static get TIME_WITH_LONG_OFFSET(){return Hc}static get TIME_24_SIMPLE(){return zc}static get TIME_24_WITH_SECONDS(){return Yc}static get TIME_24_WITH_SHORT_OFFSET(){return Zc}static get TIME_24_WITH_LONG_OFFSET(){return Qc}static get DATETIME_SHORT(){return Jc}static get DATETIME_SHORT_WITH_SECONDS(){return Xc}static get DATETIME_MED(){return ef}static get DATETIME_MED_WITH_SECONDS(){return tf}static get DATETIME_MED_WITH_WEEKDAY(){return Uk}static get DATETIME_FULL(){return nf}static get DATETIME_FULL_WITH_SECONDS(){return rf}static get DATETIME_HUGE(){return sf}static get DATETIME_HUGE_WITH_SECONDS(){return of}};function Mr(n){if(N.isDateTime(n))return n;if(n&&n.valueOf&&mt(n.valueOf()))return N.fromJSDate(n);if(n&&typeof n=="object")return N.fromObject(n);throw new q(`Unknown datetime argument: ${n}, of type ${typeof n}`)}o(Mr,"friendlyDateTime");function S(n,e,t){let r=n.get(e);return r===void 0&&(r=t(),n.set(e,r)),r}o(S,"getOrCreate");var xb=/^(?:UTC?|GMT)?\s*[+\-\u2212]\s*\d/i,Rb=/^\D*([+\-\u2212])\s*(\d{1,2})(?::?00){0,2}$/,Tb=/^GMT[+-]0$/i;function Gf(n,e){if(typeof n=="string"&&xb.test(n)&&!Tb.test(n))throw p(e,`must be an IANA time zone name, not an offset: use ${Lb(n)}`,n);if(typeof n=="string"&&_e.isValidZone(n))return n;throw p(e,"must be an IANA time zone name like 'Europe/Berlin'",n)}o(Gf,"checkTimeZone");function Lb(n){let e="a region like 'Europe/Berlin', which follows its clock changes",[,t,r]=Rb.exec(n)??[];if(r===void 0)return e;let i=Number(r);if(i===0)return`${e}, or 'UTC'`;let s=t==="+";return i>(s?14:12)?e:`${e}, or 'Etc/GMT${s?"-":"+"}${i}', which is always ${i} h ${s?"ahead of":"behind"} UTC (its sign is reversed)`}o(Lb,"insteadOf");function qf(n,e){let t=es(n,e),r=_f(n,t);return[es(n,t-1),t,r,_f(n,r)]}o(qf,"calendarBoundsAround");var Nt=36e5;function es({unit:n,timeZone:e},t){let r=N.fromMillis(t,{zone:e});if(n!=="hour")return Hf(r.startOf(n));let i=t-Kf(r);return i-Kf(N.fromMillis(i,{zone:e}))}o(es,"startOf");function _f(n,e){let{unit:t,timeZone:r}=n;if(t!=="hour"){let s=N.fromMillis(e,{zone:r}).plus({[t]:1});return Hf(s.startOf(t))}let i=es(n,e+Nt);return i>e?i:es(n,e+2*Nt)}o(_f,"startAfter");function Hf(n){return Math.min(...n.getPossibleOffsets().map(e=>e.toMillis()))}o(Hf,"firstOf");function Kf({minute:n,second:e,millisecond:t}){return(n*60+e)*1e3+t}o(Kf,"sinceFullHourMs");function Ul(n,e){for(let t=0;t<3;t+=1){let[r,i]=[n[t],n[t+1]];if(r<=e&&e<i)return{startMs:r,endMs:i}}}o(Ul,"intervalAt");var Ib={hour:Nt,day:24*Nt,week:168*Nt,month:672*Nt},[Vf,Pb]=[Date.UTC(2e3,0),Date.UTC(2100,0)],Tr=6e4,jl=168*Nt,Nb=new Map,Db=new Map;function zf(n){return S(Nb,`${n.unit} ${n.timeZone}`,()=>Bb(n))}o(zf,"shortestMs");function Bb(n){let{unit:e,timeZone:t}=n,r=new Intl.DateTimeFormat("en-US",{timeZone:t,month:"numeric"}),i=Yf(t),s=new Set,a=Ib[e];for(let l of S(Db,t,()=>jb(t))){let d=l-Tr,u=e==="month"?`${l}`:`${i(d)} ${i(l)}`;if(e==="month"&&r.format(d)!=="2"&&r.format(l)!=="2"||s.has(u))continue;s.add(u);let f=qf(n,l);for(let m=1;m<f.length;m+=1)a=Math.min(a,f[m]-f[m-1])}return a}o(Bb,"measuredMs");function jb(n){let e=Yf(n),t=o(s=>e(s).split("GMT")[1],"offsetAt"),r=[],i=t(Vf);for(let s=Vf;s<Pb;s+=jl){let[a,l]=[s/Tr,(s+jl)/Tr],d=t(s+jl);if(d!==i){for(;l-a>1;){let u=Math.floor((a+l)/2);t(u*Tr)===i?a=u:l=u}r.push(l*Tr),i=d}}return r}o(jb,"clockChanges");function Yf(n){let e=new Intl.DateTimeFormat("en-US",{timeZone:n,weekday:"short",hour:"2-digit",minute:"2-digit",hourCycle:"h23",timeZoneName:"longOffset"});return t=>e.format(t)}o(Yf,"clock");var bn=class{static{o(this,"CalendarBoundsCache")}#e;#t=new Map;#n=new WeakMap;constructor(e){this.#e=e}now(e){return this.at(e,this.#e.now())}at(e,t){let r=this.#n.get(e);if(r&&$f(r,t))return r;let i=this.#r(e,t);return this.#n.set(e,i),i}#r(e,t){let r=`${e.unit} ${e.timeZone}`,i=this.#t.get(r);if(i&&$f(i,t))return i;let s=qf(e,t);return this.#t.set(r,s),s}};function $f(n,e){return e>=n[1]&&e<n[2]}o($f,"isWithin");function Lr(n,e,t){return t!==void 0?t.startMs:n.align==="clock"?Math.floor(e/n.windowMs)*n.windowMs:e}o(Lr,"latestStartMs");function Zf(n,e){let t=Lr(n,e,void 0);return{startMs:t,endMs:t+n.windowMs,count:0}}o(Zf,"fresh");function Qf(n,e,t,r){return n.startMs>Lr(e,t,r)}o(Qf,"isAhead");function Jf(n,e,t,r){let{startMs:i,count:s}=n,a=Lr(e,t,r),l=r===void 0?a+e.windowMs:r.endMs;if(i>a)return{startMs:a,endMs:l,count:s};let d=e.align==="first-request",u=d?i+e.windowMs:l;return(d?t>=u||s===0:i<a)?{startMs:a,endMs:l,count:0}:u===n.endMs?n:{startMs:i,endMs:u,count:s}}o(Jf,"normalize");function Xf(n,e){return e.quota-n.count}o(Xf,"available");function em(n,e,t,r){return t>e.quota?"never":n.count+t<=e.quota?0:n.endMs-r}o(em,"waitMs");function tm(n,e,t){n.count+=Math.min(t,Math.max(0,2*e.quota-n.count))}o(tm,"spend");function nm(n,e,t){let{units:r,atMs:i}=t;return n.count===0||i!==void 0&&i<n.startMs?!1:(n.count=Math.max(0,n.count-r),!0)}o(nm,"refund");var rm=Wa(require("node:process"),1),im=require("node:util");var Ub={SLUICE_PROXY_UNTRUSTED:"behind-a-proxy.md",SLUICE_PROXY_TRUSTS_ALL:"behind-a-proxy.md",SLUICE_FORWARDED_UNREAD:"behind-a-proxy.md",SLUICE_KEY_ABSENT:"errors.md",SLUICE_KEY_IPV6:"errors.md",SLUICE_HOOK_FAILED:"errors.md",SLUICE_FIELD_LEFT_OUT:"errors.md",SLUICE_LIMITER_IN_HANDLER:"errors.md",SLUICE_COUNTED_TWICE:"errors.md",SLUICE_LIMIT_ZERO:"errors.md",SLUICE_WINDOW_SHORT:"errors.md",SLUICE_TOTAL_EXCEEDED:"errors.md",SLUICE_STORE_FAILING:"errors.md",SLUICE_CONTROLS:"errors.md",SLUICE_LLM_USAGE:"errors.md",SLUICE_LLM_UNRECOGNIZED:"errors.md",SLUICE_NO_GUARD:"errors.md",SLUICE_REDIS_EVICTS:"errors.md",SLUICE_NAME_SHARED:"errors.md"};function Je(n,e){rm.default.emitWarning(e,{type:"SluiceWarning",code:n,detail:`See node_modules/@sluice/core/docs/${Ub[n]}`})}o(Je,"warn");function Fl(n,e,t){let r=(0,im.inspect)(t,{customInspect:!1});Je("SLUICE_HOOK_FAILED",`${n} failed, ${e}: ${r}`)}o(Fl,"warnOfFailure");function ht(n){let e=v(n.limit,"limit"),t=Wl(n.window,"window");return me(e,"limit"),{quota:e,windowMs:t}}o(ht,"quotaAndWindow");var Fb=1e3,sm=!1;function Wl(n,e){let t=R(n,e);return typeof n=="number"&&t<Fb&&!sm&&(sm=!0,Je("SLUICE_WINDOW_SHORT",`${e}: ${t} is a window of ${t} ms, because a bare number is in milliseconds. Write '${t}s' for seconds, or '${t}ms' if you mean it.`)),t}o(Wl,"windowLength");var Dt={numbers:o(()=>[["windowMs",1]],"numbers"),defaultName:o(({windowMs:n})=>`per-${yr(n)}`,"defaultName"),spanMs:o(({windowMs:n})=>n,"spanMs"),longestWaitMs:o(({windowMs:n})=>3*n,"longestWaitMs"),share:o((n,e)=>({...n,quota:e}),"share"),quotaUnit:void 0,headerWindowMs:o(({windowMs:n})=>n,"headerWindowMs"),listLength:o(()=>{},"listLength")};var ts=36e5,Wb={hour:ts,day:24*ts,week:168*ts,month:744*ts};function Bt(n){return typeof n?.window=="object"&&n.window!==null?Kb(n):_b(n)}o(Bt,"fixedWindow");function _b(n){let e=fe(n,["limit","window","align"]),t=j(n.align??"first-request","align",["first-request","clock"]);return Object.freeze({algorithm:"fixed-window",...ht(n),align:t,...e})}o(_b,"plainWindow");function Kb(n){if("align"in n&&n.align!==void 0)throw p("align","does not apply to a calendar window",n.align);let e=fe(n,["limit","window","align"]),t=v(n.limit,"limit");E(n.window,["unit","timeZone"],"window");let r=j(n.window.unit,"window.unit",["hour","day","week","month"]),i=Gf(n.window.timeZone,"window.timeZone");me(t,"limit");let s=Wb[r];return Object.freeze({algorithm:"fixed-window",quota:t,windowMs:s,calendar:Object.freeze({unit:r,timeZone:i}),...e})}o(Kb,"calendarWindow");var Vb={layout:{length:o(()=>3,"length"),read(n,e,t){n.startMs=e[t],n.endMs=e[t+1],n.count=e[t+2]},write({startMs:n,endMs:e,count:t},r,i){r[i]=n,r[i+1]=e,r[i+2]=t}},fresh:Zf,isAhead:Qf,normalize:Jf,available:Xf,waitMs:em,spend:tm,refund:nm,decideInPlace(n,e){let{quota:t,windowMs:r}=n,{numbers:i,from:s,cost:a,nowMs:l}=e,d=i[s],u=i[s+1],c=i[s+2],f=t-c;if(!((n.align==="clock"?d===Lr(n,l,void 0):d<=l)&&l<u&&u===d+r&&c>0)||a>t||a===f)return!1;let y=u-l,k=a<f;return k&&(i[s+2]=c+a),e.allowed=k,e.available=k?f-a:f,e.resetAfterMs=y,e.retryAfterMs=k&&a<=f-a?0:y,e.delayMs=0,!0}},om={...Dt,algorithm:"fixed-window",tag:"fw",kernel:Vb,largestQuota:o(()=>Ce(),"largestQuota"),defaultName:o(n=>n.calendar?`per-${n.calendar.unit}`:Dt.defaultName(n),"defaultName"),bound(n,e,t,r){let i=n.calendar?zf(n.calendar):n.windowMs;return(n.quota+r)*(Math.ceil(e/i)+1)},lease:{stricter:o(n=>n,"stricter"),endsAtReset:!0},guarantee:{partOf:o((n,e)=>n.align==="first-request"?void 0:{...n,quota:e},"partOf")}};function _l(n){return n.algorithm==="sliding-window-log"}o(_l,"isLog");function Ir(n){return _l(n)||n.quota<=n.buckets&&n.coarse!==!0}o(Ir,"isFine");function ns(n){return _l(n)?1:Math.ceil(n.windowMs/n.buckets)}o(ns,"coarsestMs");function rs(n){return Ir(n)?1:ns(n)}o(rs,"subWindowMs");function $b(n){let{quota:e}=n;if(_l(n))return 2*e+1;let t=n.buckets;return Ir(n)?Math.max(t,2*e)+1:t+1}o($b,"mostEntries");function pt(n,e){return(Math.floor(n/e)+1)*e-1}o(pt,"endOfSubWindow");function Pr(n){let{ends:e}=n;return e.length>0?e[e.length-1]:-1}o(Pr,"newestEnd");function Nr(n,e,t){let{ends:r}=n,i=0;for(;i<r.length&&t>=r[i]+e;)i+=1;return i}o(Nr,"firstLive");function Kl(n,e,t){let r=Nr(n,e,t),i=n.used;for(let s=0;s<r;s+=1)i-=n.units[s];return i}o(Kl,"usedNow");function Vl(n,e,t){n.ends.splice(e,t),n.units.splice(e,t),n.unchanged=0}o(Vl,"removeEntries");function Gb(n,e,t){let r=Math.max(e,n.windowMs),i=Nr(n,r,t);for(let s=0;s<i;s+=1)n.used-=n.units[s];i>0&&Vl(n,0,i),n.windowMs=n.ends.length===0?e:r}o(Gb,"keepWindow");function qb(n,e,t,r,i){let s=t-(Math.max(r,t)-i);s>0&&am(n,e,s);let a=n.used-(9007199254740991-i);a>0&&am(n,0,a)}o(qb,"makeRoom");function am(n,e,t){let r=t,i=e;for(;r>0;){let s=n.units[i],a=Math.min(r,s);n.units[i]=s-a,r-=a,a===s&&(i+=1)}n.used-=t,n.unchanged=0,i-e>1&&Vl(n,e,i-e-1)}o(am,"dropOldest");var Hb=20;function zb(n,e){let{ends:t,units:r}=n,i=Math.ceil(n.windowMs/Hb),s=0;for(let a=0;a<e;a+=1){let l=t[a],d=r[a],u=s>0&&Math.floor(t[s-1]/i)===Math.floor(l/i);d>0&&u?(r[s-1]=r[s-1]+d,t[s-1]=l):d>0&&(r[s]=d,t[s]=l,s+=1)}return s<e&&Vl(n,s,e-s),s}o(zb,"joinPast");function lm(n,e,t){let r=Math.min(t,n.units[e]);if(n.units[e]=n.units[e]-r,n.used-=r,n.unchanged=Math.min(n.unchanged,e),n.units[e]===0)for(n.ends.splice(e,1),n.units.splice(e,1);n.units.length>0&&n.units[n.units.length-1]===0;)n.ends.pop(),n.units.pop();return r}o(lm,"takeBack");function Yb(n,e,t){let r=t;for(;r>0&&n.ends.length>e;)r-=lm(n,n.ends.length-1,r);return t-r}o(Yb,"takeNewest");function Zb(n,e,t,r){let i=t>n.subWindowMs?t:1,s=[],a=[],l=n.ends.length;for(let f=0;f<l;f+=1){let m=Math.min(pt(n.ends[f]-e,i),r),h=n.units[f];s.length>0&&s[s.length-1]===m?a[a.length-1]=a[a.length-1]+h:(s.push(m),a.push(h))}let{used:d,windowMs:u,head:c}=n;return{ends:s,units:a,used:d,subWindowMs:Math.max(t,n.subWindowMs),windowMs:u,unchanged:0,head:c}}o(Zb,"resampled");function Qb(n,e,t,r,i){let s=pt(t,r),a=Pr(n);if(a<s&&i)n.ends.push(s),n.units.push(e);else{let l=n.ends.length-1;n.ends[l]=Math.max(a,s),n.units[l]=n.units[l]+e,n.unchanged=Math.min(n.unchanged,l)}n.used+=e,a<=s&&(n.subWindowMs=r)}o(Qb,"add");function dm(n){return{ends:[],units:[],used:0,subWindowMs:rs(n),windowMs:n.windowMs,unchanged:0,head:0}}o(dm,"fresh");function um(n,e){return pt(e,ns(n))}o(um,"latestEnd");function $l(n,e,t){return Pr(n)>um(e,t)}o($l,"isAhead");function cm(n,e,t){let r=rs(e);if(r<=n.subWindowMs&&!$l(n,e,t))return n;let i=um(e,t),s=Math.max(0,Pr(n)-Math.max(i,pt(t,n.subWindowMs)));return Zb(n,s,r,i)}o(cm,"normalize");function fm(n,e,t){return e.quota-Kl(n,e.windowMs,t)}o(fm,"available");function mm(n,e,t,r){let{quota:i,windowMs:s}=e;if(t>i)return"never";let a=Kl(n,s,r);if(t===i)return a>0?Pr(n)+s-r:0;let l=0,d=Nr(n,s,r);for(;a+t>i;)a-=n.units[d],l=n.ends[d]+s-r,d+=1;return l}o(mm,"waitMs");function hm(n,e,t,r){let{quota:i,windowMs:s}=e;Gb(n,s,r);let a=Math.min(t,2*i);if(a===0)return;let l=n.windowMs>s?zb(n,Nr(n,s,r)):0,d=l===0?n.used:Kl(n,s,r);qb(n,l,d,2*i,a);let u=n.ends.length-l<$b(e);Qb(n,a,r,rs(e),u)}o(hm,"spend");function pm(n,e,t){return n.used===0?0:Math.max(0,Pr(n)+Math.max(e.windowMs,n.windowMs)-t)}o(pm,"retentionMs");function Jb(n,e,t,r){let{ends:i}=n,s=pt(t,r),a=e;for(;a<i.length&&i[a]<s;)a+=1;return a===i.length||n.units[a]===0?-1:i[a]<t+Math.max(r,n.subWindowMs)?a:-1}o(Jb,"chargedEntry");function ym(n,e,t,r){let{units:i,atMs:s}=t,{windowMs:a}=e,l=Nr(n,a,r);if(s===void 0)return Yb(n,l,i)>0;let d=rs(e);if(r>=pt(s,d)+a)return!1;let u=Jb(n,l,s,d);return u>=0&&lm(n,u,i)>0}o(ym,"refund");function is(n,e){let t=e===1?0:Math.ceil(n/e);return(t===0||t<1024&&Math.ceil(n/t)===e)&&n>0?-(n*1024+t):0}o(is,"packedWindow");var gm=o(({windowMs:n,subWindowMs:e})=>n===0||is(n,e)!==0?1:3,"headLength"),km={length:o(n=>gm(n)+2*n.ends.length,"length"),read(n,e,t,r){let{ends:i,units:s}=n,a=e[t],l=a>0&&r>2&&e[t+2]===-1,d=l?3:1,u=r-d>>1,c=0;for(let f=0,m=t+d;f<u;f+=1,m+=2){let h=e[m+1];i[f]=e[m],s[f]=h,c+=h}if(i.length>u&&(i.length=s.length=u),n.used=c,a<0){let f=Math.floor(-a/1024),m=-a-f*1024;n.windowMs=f,n.subWindowMs=m===0?1:Math.ceil(f/m)}else n.windowMs=l?e[t+1]:0,n.subWindowMs=a;n.head=d,n.unchanged=u},write(n,e,t,r){let{ends:i,units:s,windowMs:a,subWindowMs:l}=n,d=i.length,u=gm(n),c=r&&u===n.head?n.unchanged:0;u===3?(e[t]=l,e[t+1]=a,e[t+2]=-1):e[t]=is(a,l)||l;for(let f=c,m=t+u+2*c;f<d;f+=1,m+=2)e[m]=i[f],e[m+1]=s[f];n.head=u,n.unchanged=d}};var Xb=20;function Dr(n){let e=fe(n,["limit","window","buckets"]),t=v(n.buckets??Xb,"buckets",1,1e3);return Object.freeze({algorithm:"sliding-window",...ht(n),buckets:t,...e})}o(Dr,"slidingWindow");var Gl={layout:km,fresh:dm,isAhead:$l,normalize:cm,available:fm,waitMs:mm,spend:hm,refund:ym,retentionMs:pm},ql={...Dt,bound:o((n,e,t,r)=>(n.quota+r)*Math.ceil(e/n.windowMs),"bound"),lease:{stricter:o((n,e)=>({...n,windowMs:n.windowMs+e}),"stricter")}},eM=o((n,e)=>{let{quota:t,windowMs:r}=n,{numbers:i,from:s,length:a,cost:l,nowMs:d}=e,u=s+1,c=s+a-2;if(c<u||l>t)return!1;let f=i[c],m=ns(n),h=pt(d,m),y=Ir(n);if(i[s]!==is(r,y?1:m)||f>h||d>=i[u]+r)return!1;let k=0;for(let I=u;I<=c;I+=2)k+=i[I+1];let C=t-k;if(l===C)return!1;let O=l<C;if(O){let I=C-l;if(f<(y?d:h)||l>I)return!1;i[c+1]=i[c+1]+l,e.available=I,e.retryAfterMs=0}else{let I=C,ve=u-2;for(;I<l;)ve+=2,I+=i[ve+1];e.available=C,e.retryAfterMs=i[ve]+r-d}return e.allowed=O,e.resetAfterMs=f+r-d,e.delayMs=0,!0},"decideInPlace"),wm={...ql,algorithm:"sliding-window",tag:"sw",kernel:{...Gl,decideInPlace:eM},guarantee:{partOf:o((n,e)=>Ir(n)?{...n,quota:e}:{...n,quota:e,coarse:!0},"partOf")},numbers:o(()=>[["windowMs",1],["buckets",1]],"numbers"),largestQuota:o(()=>Ce(),"largestQuota")};var bm=1e4;function Hl(n){let e=fe(n,["limit","window"]);return v(n.limit,"limit",0,bm),Object.freeze({algorithm:"sliding-window-log",...ht(n),...e})}o(Hl,"slidingWindowLog");var Mm={...ql,algorithm:"sliding-window-log",tag:"sl",kernel:Gl,guarantee:{partOf:o((n,e)=>({...n,quota:e}),"partOf")},largestQuota:o(()=>bm,"largestQuota"),listLength:o(({quota:n,countRejected:e})=>(e?2:1)*n,"listLength")};function Mn(n,e){return Math.floor(n/e)*e}o(Mn,"startOf");function vm(n){return n.countRejected==="always"}o(vm,"isRoundedUp");function ss(n,e,t){let{windowMs:r,quota:i}=t,s=Math.min(n,2*i)*(r-e)/r;return vm(t)?Math.ceil(s):Math.floor(s)}o(ss,"overlap");function Sm(n,e,t,r){let{windowMs:i}=r,s=r.quota-e-t;if(!(s<0))return n<=s?0:vm(r)?Math.ceil((i*n-s*i)/n):Math.floor((i*n-(s+1)*i)/n)+1}o(Sm,"fitsAfterMs");function os(n,e,t,r,i){let s=2*i.quota,a=Sm(Math.min(n,s),e,r,i);if(a!==void 0)return a-t;let l=Sm(Math.min(e,s),0,r,i);return i.windowMs-t+l}o(os,"fitsInMs");function Am(n,e){return{startMs:Mn(e,n.windowMs),previous:0,current:0}}o(Am,"fresh");function Cm(n,e,t){return n.startMs>Mn(t,e.windowMs)}o(Cm,"isAhead");function Em(n,e,t){let{windowMs:r}=e,i=Mn(t,r);if(n.startMs===i)return n;if(n.startMs>i)return{startMs:i,previous:n.previous,current:n.current};let a=Mn(n.startMs,r)+r===i?n.current:0;return{startMs:i,previous:a,current:0}}o(Em,"normalize");function zl(n,e,t){return e.quota-n.current-ss(n.previous,t-n.startMs,e)}o(zl,"available");function Om(n,e,t,r){return t>e.quota?"never":t<=zl(n,e,r)?0:os(n.previous,n.current,r-n.startMs,t,e)}o(Om,"waitMs");function xm(n,e,t){n.current+=Math.min(t,Math.max(0,2*e.quota-n.current))}o(xm,"spend");function Rm(n,e,t,r){let{units:i,atMs:s}=t,a=i;if(s===void 0||s>=n.startMs){let d=Math.min(a,n.current);n.current-=d,a-=d}if((s===void 0||s<n.startMs&&s>=n.startMs-e.windowMs)&&ss(n.previous,r-n.startMs,e)>0){let d=Math.min(a,n.previous);n.previous-=d,a-=d}return a<i}o(Rm,"refund");function Yl(n){let e=fe(n,["limit","window"]),t=ht(n);return me(t.quota,"limit",t.windowMs),Object.freeze({algorithm:"sliding-window-counter",...t,...e})}o(Yl,"slidingWindowCounter");var tM={layout:{length:o(()=>3,"length"),read(n,e,t){n.startMs=e[t],n.previous=e[t+1],n.current=e[t+2]},write({startMs:n,previous:e,current:t},r,i){r[i]=n,r[i+1]=e,r[i+2]=t}},fresh:Am,isAhead:Cm,normalize:Em,available:zl,waitMs:Om,spend:xm,refund:Rm,decideInPlace(n,e){let{quota:t,windowMs:r}=n,{numbers:i,from:s,cost:a,nowMs:l}=e,d=i[s];if(d!==Mn(l,r)||a>t)return!1;let u=l-d,c=i[s+1],f=i[s+2],m=t-f-ss(c,u,n);if(a===m)return!1;let h=a<m,y=h?f+a:f,k=h?m-a:m;return i[s+2]=y,e.allowed=h,e.available=k,e.resetAfterMs=os(c,y,u,t,n),e.retryAfterMs=a<=k?0:os(c,y,u,a,n),e.delayMs=0,!0}},Tm={...Dt,algorithm:"sliding-window-counter",tag:"sc",kernel:tM,largestQuota:o(({windowMs:n})=>Ce(n),"largestQuota"),bound:o((n,e,t,r)=>(n.quota+r)*(Math.ceil(e/n.windowMs)+1),"bound"),lease:void 0,guarantee:void 0};var Zl={"sliding-window":wm,"sliding-window-log":Mm,"sliding-window-counter":Tm,"fixed-window":om,"token-bucket":nc,"leaky-bucket":Hu,concurrency:uc},W=Zl,X=Object.values(Zl);function Xe(n){return Object.hasOwn(Zl,n)}o(Xe,"isAlgorithm");function U({algorithm:n}){if(Xe(n))return W[n];throw new g("SLUICE_UNSUPPORTED",`no store supports the algorithm ${G(n)}`)}o(U,"definitionOf");var Lm=new WeakSet([dt()]);function Ke(n,e){if(se(n)&&Lm.has(n))return n;if(!se(n)||!(n.algorithm==="unlimited"||Xe(n.algorithm)))throw p(e,"must be a Limit, as slidingWindow() or another constructor returns it",n);if(v(n.quota,M(e,"quota")),n.algorithm!=="unlimited"){let t=U(n);for(let[r,i]of t.numbers(n))v(n[r],M(e,r),i);if(v(n.quota,M(e,"quota"),0,t.largestQuota(n)),!Uu(n)){let r=n.blocksMs===void 0?"blockMs":"blocksMs";throw p(M(e,r),"must be what a constructor makes of the option blockDuration",n[r])}}return Lm.add(n),n}o(Ke,"checkLimit");function Ql(n,e){return Math.min(n,Math.ceil(Math.floor((1-e)*n*1e6+.5)/1e6))}o(Ql,"keptFree");function Im(n,e){let t=W[n.algorithm];return t===void 0||e===1||n.quota===0?n:Object.freeze(t.share(n,Math.ceil(n.quota/e),e))}o(Im,"shareOf");var Pm=10;var ke=class{static{o(this,"Keyspace")}description;place;#e=!1;#t;#n=new Set;#r=new Set;constructor(e,t){this.place=e,this.description=t}get isClosed(){return this.#e}close(){this.#e=!0;for(let e of this.#n)e();this.#n.clear(),this.#r.clear()}identify(e){if(!(this.#e||this.#t!==void 0)){this.#t=e;for(let t of this.#r)t(e);this.#r.clear()}}whenIdentified(e){this.#t!==void 0?e(this.#t):this.#e||this.#r.add(e)}whenClosed(e){this.#e?e():this.#n.add(e)}},nM=new WeakMap;function te(n){return n.keyspaces??S(nM,n,()=>[new ke(n)])}o(te,"keyspacesOf");var Dm=require("node:crypto");var rM=(0,Dm.randomBytes)(9).toString("base64url"),Nm=0;function _(){return Nm+=1,`${rM}-${Nm.toString(36)}`}o(_,"nextOperationId");function Jl(n,{partName:e,totalName:t,nothing:r,total:i,lend:s},a,l=r){let{policy:d,key:u,cost:c,calendarBoundsMs:f}=n,m={policy:d,cost:c,shadow:!0,itemName:n.name,...f&&{calendarBoundsMs:f}},h={...m,name:e,key:a??u,limit:l,countsAll:!1},y={...m,name:t,key:u,limit:i,countsAll:!0};return{...n,lend:s,parts:[h,y]}}o(Jl,"guaranteed");function as(n){return"parts"in n}o(as,"hasParts");function Bm(n){if(!as(n))return[n];let{cost:e}=n;return[...n.parts.map(t=>({...t,cost:e})),n]}o(Bm,"countedChecks");function jm(n){return as(n)?`${n.parts[0].key.length}:${n.parts[0].key}${n.key}`:n.key}o(jm,"refusedKeyOf");function ls(n){return"itemName"in n}o(ls,"isPart");function Xl(n){return ls(n)?n.itemName:n.name}o(Xl,"itemNameOf");function ds(n){return!ls(n)||!n.countsAll}o(ds,"takesLateCharges");function Um(n){if(n.lend===void 0)return n;let{lend:e,...t}=n;return t}o(Um,"alone");function Fm(n){if(n.every(({guarantee:t})=>t===void 0))return;let e=new Set;return(t,r,i,s)=>{if(s==="allow"||s==="deny")return t;s==="store"&&iM(r,i)&&!e.has(t.name)&&(e.add(t.name),sM(t.name));let a=r.blocked||i.blocked;return{...t,...a&&{blocked:!0},guaranteed:r.allowed}}}o(Fm,"partFolder");function iM(n,e){return n.retryAfterMs===0&&e.retryAfterMs!==0}o(iM,"isOverTotal");function sM(n){Je("SLUICE_TOTAL_EXCEEDED",`The limit ${JSON.stringify(n)} guarantees more than guarantee.total: a tenant has units of its part left, and the total has none. Raise the total, or lower the guarantees, so that they add up to at most the total.`)}o(sM,"warnOfTotal");var Br=Wa(require("node:crypto"),1);var Wm=100,oM=128,_m="~l";function Re(n){return td(typeof n=="string"?$m(n):Vm(n,1))}o(Re,"encodeKey");function Km(n,e){return td(`${_m}${ed(n)}${ed(Re(e))}`)}o(Km,"encodePair");function td(n){return n.length>oM?`~h${de(n)}`:n}o(td,"bounded");function Vm(n,e){if(typeof n=="string")return $m(n);if(typeof n=="number"&&Number.isFinite(n))return`~n${n}`;if(Array.isArray(n))return aM(n,e);throw new g("SLUICE_KEY",`a key must be text, a finite number or a list of keys, got ${G(n)}`,{received:n})}o(Vm,"encodePart");function aM(n,e){if(e>Wm)throw new g("SLUICE_KEY",`a key must have at most ${Wm} levels of lists, got more`);let t=_m;for(let r=0;r<n.length;r+=1)t+=ed(td(Vm(n[r],e+1)));return t}o(aM,"encodeList");function $m(n){return n.isWellFormed()?n.startsWith("~")?`~s${n}`:n:`~u${lM(n)}`}o($m,"encodeText");function ed(n){return`${n.length}:${n}`}o(ed,"lengthPrefixed");function lM(n){return Buffer.from(n,"utf16le").toString("base64url")}o(lM,"codeUnits");function de(n){return dM(n)}o(de,"hash");var dM=typeof Br.hash=="function"?n=>Br.hash("sha256",n,"base64url"):n=>Br.createHash("sha256").update(n).digest("base64url");var nd=["id","rememberFor"],uM=6e4,us=864e5,Gm=256,jr=36e5;function Hm(n,{id:e,rememberFor:t},r=0){let i=r+jr;if(t===void 0)return e===void 0?void 0:qm(n,{id:e,correctableMs:i,path:"id"});if(e===void 0)throw p("rememberFor","needs the option id",t);let s=R(t,"rememberFor");if(s>us)throw p("rememberFor","must be at most 1 day",t);return qm(n,{id:e,holdMs:s,correctableMs:i,path:"id"})}o(Hm,"operationOf");function qm(n,{id:e,holdMs:t=uM,correctableMs:r=jr,path:i}){if(typeof e!="string"||e===""||e.length>Gm)throw p(i,`must be a text of 1 to ${Gm} characters`,e);return v(t,"holdMs",1,us),{kind:n,id:e,holdMs:t,correctableMs:Math.max(t,r,jr)}}o(qm,"newOperation");function cs({kind:n,id:e,holdMs:t,correctableMs:r,round:i=0},s){let a=[n,e,i];for(let{policy:d,name:u,key:c,cost:f,limit:m}of s)a.push(d,u,m.algorithm,c,f);let l=rd(_(),r);return{checks:s,id:de(JSON.stringify(a)),holdMs:t,attempt:l}}o(cs,"operationAsk");function rd(n,e){return`${n}.${e.toString(36)}`}o(rd,"correctableFor");function fs(n){let e=Number.parseInt(n.split(".")[1]??"",36);return Number.isNaN(e)?void 0:Math.min(e,Ae)}o(fs,"correctableMsOf");function Ym(n,{ownsCost:e,itemName:t,countsAll:r=!1,...i}){return t===void 0?{policy:n,...i}:{policy:n,...i,shadow:!0,itemName:t,countsAll:r}}o(Ym,"heldCheck");var cM=new WeakMap;function id(n){if(!n.remote)return S(cM,te(n)[0]?.place??n,_)}o(id,"localPlaceOf");var zm=1e3;function Zm(n){E(n,["policy","id","atMs","untilMs","slot","local","checks"],"charge");let{policy:e,id:t,atMs:r,untilMs:i,slot:s,local:a,checks:l}=n;if(jt(e,"charge.policy"),jt(t,"charge.id"),v(r,"charge.atMs"),v(i,"charge.untilMs",r,r+us),s!==void 0&&jt(s,"charge.slot"),a!==void 0&&jt(a,"charge.local"),!Array.isArray(l)||l.length===0||l.length>zm)throw p("charge.checks",`must be a list of 1 to ${zm} checks`,l);return l.forEach(fM),n}o(Zm,"checkCharge");function fM(n,e){let t=`charge.checks[${e}]`;E(n,["name","key","limit","cost","atMs","ownsCost","shadow","itemName","countsAll"],t),jt(n.name,M(t,"name")),jt(n.key,M(t,"key"),0),Ke(n.limit,M(t,"limit")),v(n.cost,M(t,"cost")),n.atMs!==void 0&&v(n.atMs,M(t,"atMs")),n.itemName!==void 0&&jt(n.itemName,M(t,"itemName"))}o(fM,"checkChargedCheck");function jt(n,e,t=1){if(!(typeof n=="string"&&n.length>=t&&n.length<=256))throw p(e,"must be a text, as chargeOf() made it",n)}o(jt,"checkText");var Qm=Wa(require("node:process"),1);function Ut(n){if(n===void 0)return K;if(typeof n?.now=="function"&&typeof n.sleep=="function")return n;throw p("clock","must have now() and sleep(), like new ManualClock()",n)}o(Ut,"clockOf");var{hrtime:Jm}=Qm.default,Xm=o(n=>n[0]*1e3+n[1]*1e-6,"msOf"),mM=performance.timeOrigin+performance.now()-Xm(Jm()),ad=o(async(n,e,{unref:t=!1}={})=>{for(let r=n;r>0;r-=pr)await hM(Math.min(r,pr),e,t);e?.throwIfAborted()},"sleep"),K=Object.freeze({now:o(()=>Math.floor(mM+Xm(Jm())),"now"),sleep:ad}),vx=Object.freeze({now:o(()=>Math.floor(Date.now()),"now"),sleep:ad});function hM(n,e,t){return new Promise((r,i)=>{if(e?.aborted)return i(e.reason);let a=setTimeout(o(()=>{e?.removeEventListener("abort",l),r()},"wake"),n);t&&a.unref();let l=o(()=>{clearTimeout(a),i(e?.reason)},"abort");e?.addEventListener("abort",l,{once:!0})})}o(hM,"timer");function ms(n,e){return n.sleep===ad?new od(e):new sd(n,e)}o(ms,"sleeperOn");var pM="the sleep is not needed any more",sd=class{static{o(this,"ClockSleeper")}#e;#t;#n;constructor(e,t){this.#e=e,this.#t=t}begin(e){this.end();let t=new AbortController;this.#n=t,this.#e.sleep(e,t.signal).then(()=>{this.#n===t&&(this.#n=void 0,this.#t())},()=>{})}end(){this.#n?.abort(pM),this.#n=void 0}},od=class{static{o(this,"TimerSleeper")}#e;#t;#n=0;#r;constructor(e){this.#e=e}begin(e){let t=x();this.#r=t+e,this.#t&&this.#n<=this.#r?this.#t.ref():this.#i(t,e)}end(){this.#r=void 0,this.#t?.unref()}#i(e,t){clearTimeout(this.#t);let r=Math.min(t,pr);this.#n=e+r,this.#t=setTimeout(this.#s,r)}#s=o(()=>{if(this.#t=void 0,this.#r===void 0)return;let e=this.#r-this.#n;e>=1?this.#i(this.#n,e):(this.#r=void 0,this.#e())},"#fired")};function x(){return performance.now()}o(x,"stopwatchMs");function hs(n,e){let t=setInterval(e,n);return t.unref(),()=>clearInterval(t)}o(hs,"inBackground");function Sn(n,e,t,{unref:r=!1}={}){return new Promise((i,s)=>{let a=setTimeout(()=>setImmediate(()=>s(t())),n);r&&a.unref(),e.then(i,s).finally(()=>clearTimeout(a))})}o(Sn,"within");function eh(n,e){return setTimeout(()=>setImmediate(e,x()),n)}o(eh,"alarmAfter");var Te=require("node:diagnostics_channel");var Ve={"sluice:decision":(0,Te.channel)("sluice:decision"),"sluice:skipped":(0,Te.channel)("sluice:skipped"),"sluice:store-error":(0,Te.channel)("sluice:store-error"),"sluice:breaker":(0,Te.channel)("sluice:breaker"),"sluice:signal":(0,Te.channel)("sluice:signal"),"sluice:concurrency":(0,Te.channel)("sluice:concurrency"),"sluice:load":(0,Te.channel)("sluice:load"),"sluice:duration":(0,Te.channel)("sluice:duration"),"sluice:policy":(0,Te.channel)("sluice:policy"),"sluice:evicted":(0,Te.channel)("sluice:evicted")};function we(n,e){Ve[n].publish(e)}o(we,"publish");var Ft=class{static{o(this,"DurationCounts")}#e;#t;#n;#r=0;constructor(e,t){this.#e=e,this.#t=t,this.#n=new Array(t.length+1).fill(0)}add(e){let t=this.#t,r=0;for(;r<t.length&&e>t[r];)r+=1;this.#n[r]=this.#n[r]+1,this.#r+=e;let i=Ve["sluice:duration"];i.hasSubscribers&&i.publish({...this.#e,durationMs:e})}addAll(e){for(let[t,r]of e.#n.entries())this.#n[t]=this.#n[t]+r;this.#r+=e.#r}read(){return{upToMs:this.#t,counts:[...this.#n],sumMs:this.#r}}};function ps(){return{timeout:0,unavailable:0,error:0}}o(ps,"newFailureCounts");function Wt(n,e){n[yM(e)]+=1}o(Wt,"countFailure");function yM(n){let e=n?.storeFailure;return e==="timeout"||e==="unavailable"?e:"error"}o(yM,"kindOf");var et=class{static{o(this,"WeakList")}#e=new Set;#t=new FinalizationRegistry(e=>this.#e.delete(e));add(e){let t=new WeakRef(e);return this.#e.add(t),this.#t.register(e,t),()=>{this.#e.delete(t)}}*[Symbol.iterator](){for(let e of this.#e){let t=e.deref();t&&(yield t)}}};var gM=[.5,1,2.5,5,10,25,50,100],gs=class{static{o(this,"StoreCounts")}store;operations;errors=ps();evictedKeys=0;hasTables=!1;hasBreakers=!1;#e=new et;#t=new et;constructor(e){this.store=e;let t=o(r=>new Ft({kind:"store-call",store:e,operation:r},gM),"countsOf");this.operations={consume:t("consume"),adjust:t("adjust"),reset:t("reset")}}get tables(){return this.#e}get breakers(){return this.#t}addTable(e){return this.hasTables=!0,this.#e.add(e)}addBreaker(e){this.hasBreakers=!0,this.#t.add(e)}},kM=1e3,th="(others)",ys=new Map;function ks(n){let e=ys.get(n);return!e&&ys.size>=kM?S(ys,th,()=>new gs(th)):e??S(ys,n,()=>new gs(n))}o(ks,"countsOfStore");var Z=Number.MAX_SAFE_INTEGER;function vn(n){return{state:n,blockEndsMs:0,admittedMs:-1,strikes:0,heldUntilMs:0}}o(vn,"newKeyState");function nh(n,e){n.state=e,n.blockEndsMs=0,n.admittedMs=-1,n.strikes=0,n.heldUntilMs=0,n.stamp=0}o(nh,"renewKeyState");var wM={"sliding-window":{to:"time"},"sliding-window-log":{to:"time"},"sliding-window-counter":{to:"time"},"fixed-window":{to:"time"},"token-bucket":{to:"level",lastsMs:o(({keepForMs:n})=>n,"lastsMs")},"leaky-bucket":{to:"nowhere"},concurrency:{to:"slot"}},bM={to:"time"};function ws({algorithm:n}){return n!=="unlimited"&&wM[n]||bM}o(ws,"returnRuleOf");function yt(n){return ws(n).to!=="nowhere"}o(yt,"takesBack");function rh(n,{atMs:e},t){if(e===void 0)return!1;let r=ws(n).lastsMs?.(n);return r!==void 0&&t-e>=r}o(rh,"isTooLate");var bs=class{static{o(this,"LimitState")}#e;#t;#n=Number.NaN;#r;#i=0;#s=-1;#o=0;#a=0;#l=!1;#d=!1;#u=0;#c;read(e,t,r,i,s){this.#e=e,this.#t=t,this.#n=i,this.#d=!1,r===void 0?(this.#r=e.normalize(e.fresh(t,i),t,i,s),this.#i=0,this.#s=-1,this.#o=0,this.#a=0,this.#l=!1):this.#f(r,s),this.#h()}#f(e,t){let{state:r,blockEndsMs:i,admittedMs:s,strikes:a,heldUntilMs:l}=e,d=this.#e,u=this.#t,c=this.#n;this.#r=d.normalize(r,u,c,t),this.#l=ld(s)>c||this.#r!==r&&d.isAhead(r,u,c,t),this.#i=this.#l?MM(e,u,c):i,this.#s=ld(s)>c?Math.max(-1,Math.min(s,c)):s,this.#o=a===0?0:this.#m(a),this.#a=l}#m(e){let{blocksMs:t,forgetMs:r=0}=this.#t;return t===void 0||this.#n>=this.#i+r?0:e}hold(e){this.#a=e,this.#c=void 0}#h(){this.#u=this.#e.available(this.#r,this.#t,this.#n),this.#c=void 0}get isBlocked(){return this.#n<this.#i||this.isHeld}get isHeld(){return this.#n<this.#a}get hasBegunBlock(){return this.#d}get ownBlock(){if(!(this.#n>=this.#i))return{untilMs:this.#i,strikes:Math.max(1,this.#o)}}get remaining(){return this.isBlocked?0:Math.max(0,this.#u)}get used(){return this.#t.quota-this.#u}availableIn(e){return e>0&&e>=(this.resetAfterMs==="never"?Number.POSITIVE_INFINITY:this.resetAfterMs)?this.#t.quota:Math.max(0,this.#e.available(this.#r,this.#t,this.#n+e))}get delayMs(){return this.#e.delayMs?.(this.#r,this.#t,this.#n)??0}admits(e,t,r){return this.#t.quota===0?!1:this.holdsSlot(r)?!0:!this.isBlocked&&e<=this.#t.quota&&e<=this.#u+t}overQuota(e,t){return this.holdsSlot(t)?0:Math.max(0,e-Math.max(0,this.#u))}holdsSlot(e){return e!==void 0&&this.#e.holds?.(this.#r,e,this.#n)===!0}untilMs(e){if(this.#a===Z)return"never";let t=this.#y(e);return t==="never"?t:Math.max(t,this.#a-this.#n)}#y(e){let r=e<=this.#u?0:this.#e.waitMs(this.#r,this.#t,e,this.#n);return r==="never"?r:Math.max(r,this.#i-this.#n)}get resetAfterMs(){return this.#c??=this.untilMs(this.#t.quota),this.#c}get keptMs(){let e=this.#a===0?this.resetAfterMs:this.#y(this.#t.quota),t=this.#e.retentionMs?.(this.#r,this.#t,this.#n)??e,r=this.#t.countRejected===!0&&this.#s>=0?this.#p-this.#n:0,i=this.#i-this.#n,s=this.#o===0?0:i+(this.#t.forgetMs??0);return Math.max(t,i,s,r)}get heldMs(){return Math.min(this.#a-this.#n,Ae)}get#p(){return this.#s+U(this.#t).spanMs(this.#t)}spend(e,t){return e===0?this.#l:(this.#e.spend(this.#r,this.#t,e,this.#n,t),this.#t.countRejected===!0&&(this.#s=this.#n),this.#h(),!0)}refuse(e,t,r){let{blockMs:i,quota:s}=this.#t;if(this.isHeld)return this.#l;let a=this.admits(e,t);if(!a&&t<0&&this.admits(e,0))return this.#l;let l=i!==void 0&&e>0&&!a&&!this.isBlocked,d=r&&e>0&&e<=s&&this.#g();return l&&this.#w(i),d&&this.#e.spend(this.#r,this.#t,e,this.#n),(l||d)&&this.#h(),l||d||this.#l}#w(e){let{blocksMs:t}=this.#t,r=t?.[Math.min(this.#o,t.length-1)]??e;t!==void 0&&(this.#o+=1),this.#i=this.#n+r,this.#k||(this.#s=-2-this.#n),this.#d=!0}#g(){let{countRejected:e}=this.#t;return e===!0?this.#k:e==="always"}get#k(){return this.#s>=0&&this.#n<this.#p}giveBack(e){if(this.#u>=this.#t.quota||rh(this.#t,e,this.#n))return!1;let t=this.#e.refund(this.#r,this.#t,e,this.#n);return this.#h(),t}charge(e){return e===0||this.#e.holds?!1:(this.#e.spend(this.#r,this.#t,e,this.#n),this.#h(),!0)}get isCorrected(){return this.#l}writeTo(e){e.state=this.#r,e.blockEndsMs=this.#i,e.admittedMs=this.#s,e.strikes=this.#o,e.heldUntilMs=this.#a}};function MM({blockEndsMs:n,admittedMs:e},t,r){let i=ju(t)||n-Math.max(ld(e),r);return Math.min(n,r+i)}o(MM,"cutBlock");function ld(n){return n<-1?-2-n:n}o(ld,"markedMs");function z({name:n,limit:e,cost:t,shadow:r},i){let{allowed:s,remaining:a,used:l,resetAfterMs:d,retryAfterMs:u,delayMs:c}=i,{overQuota:f,blocked:m}=i,h=r?{name:n,limit:e,cost:t,allowed:s,remaining:a,used:l,resetAfterMs:d,retryAfterMs:u,delayMs:c,shadow:r}:{name:n,limit:e,cost:t,allowed:s,remaining:a,used:l,resetAfterMs:d,retryAfterMs:u,delayMs:c};return!f&&!m?h:{...h,...f&&{overQuota:f},...m&&{blocked:!0}}}o(z,"verdictOf");var ih=[{},{shadow:!0}].map(n=>{let e="never";return z({name:"",limit:dt(),cost:e,...n},{allowed:!0,remaining:e,used:e,resetAfterMs:e,retryAfterMs:e,delayMs:e})});function _t({margin:n=0}){return Math.min(0,n)}o(_t,"keptBack");function tt(n){let e=n.limit.quota;return z(n,{allowed:!0,remaining:e,used:0,resetAfterMs:0,retryAfterMs:0,delayMs:0})}o(tt,"allowedVerdict");function An(n,e){return n==="never"||n===0?n:Math.max(1,n-e)}o(An,"age");function Ur(n,e){return n.limit===e.limit&&n.cost===e.cost&&n.margin===e.margin&&n.shadow===e.shadow&&n.lend===e.lend}o(Ur,"sameCheck");function Cn({peek:n,renew:e,id:t,holdMs:r,atLeast:i,notAfterMs:s}){return!n&&!e&&t===void 0&&r===void 0&&i===void 0&&s===void 0}o(Cn,"isSimpleSpend");var En=class{static{o(this,"CheckEvaluation")}limit;cost=0;margin=0;isShadow=!1;calendarBoundsMs;nowMs=Number.NaN;limitState=new bs;allowed=!1;delayMs=0;overQuota=0;begin(e,t){this.limit=e.limit,this.cost=e.cost,this.margin=e.margin??0,this.isShadow=e.shadow===!0,this.calendarBoundsMs=e.calendarBoundsMs,this.nowMs=t}readState(e,t){let{limit:r,calendarBoundsMs:i,nowMs:s}=this,a=i===void 0?void 0:Ul(i,s);this.limitState.read(e,r,t,s,a)}judge(e,t,r){let{limitState:i,margin:s}=this;this.allowed=i.admits(e,s,t)&&(r!=="held"||i.holdsSlot(t)),this.delayMs=this.allowed?i.delayMs:0,this.overQuota=this.allowed&&s>0?i.overQuota(e,t):0}admit(e,t){let{limitState:r}=this;this.allowed=!0,this.delayMs=r.delayMs,this.overQuota=r.overQuota(e,t)}deny(){this.allowed=!1,this.delayMs=0,this.overQuota=0}unitsFor(e,t,r){return(t&&this.allowed?r:e.atLeast)??this.cost}record(e,t,r){return t&&this.allowed?this.limitState.spend(e,r):this.limitState.refuse(e,this.margin,!t)}get closedMs(){return this.limitState.untilMs(Number.NEGATIVE_INFINITY)}get remaining(){return Math.max(0,this.limitState.remaining+_t(this))}get blocked(){return this.limitState.isHeld}get used(){return this.limitState.used}get resetAfterMs(){return this.limitState.resetAfterMs}get retryAfterMs(){return this.limitState.untilMs(Math.max(1,this.cost)-_t(this))}};function Ms(n,e){let t=n.filter(({isShadow:s})=>!s),r=Math.max(0,...n.map(({cost:s})=>s)),i=o(({cost:s,remaining:a,allowed:l})=>Math.min(s,l?Math.max(a,e):a),"most");return Math.min(r,...t.map(i))}o(Ms,"mostThatFits");function Ss(n,{cost:e,atMs:t},r){return e>=0?n.charge(e):n.giveBack({units:-e,atMs:t??r.atMs,id:r.id,unspent:r.unspent})}o(Ss,"corrected");function On(n,e){for(let{calendarBoundsMs:t}of n)if(t!==void 0&&Ul(t,e)===void 0)return!0;return!1}o(On,"areOutside");function Kt(n,e,{id:t,peek:r}){if(!(t||r||!T(n)))throw new g("SLUICE_UNSUPPORTED",`the concurrency limit ${e} needs an id that names the slot`)}o(Kt,"checkSlotId");var SM=32,sh=1e3,oh=Number.NEGATIVE_INFINITY,Vt=class{static{o(this,"Guarantee")}#e;#t;#n;#r;constructor(e,t,r){this.#e=r,this.#t=e[t-2],this.#n=e[t-1],this.#r=e[t]}keepFree(){this.#r.margin=0-this.#o(0)}grant(e,t){let r=this.#r;if(this.#t.allowed&&this.#n.allowed&&(r.allowed||r.closedMs===0)){r.admit(e,t);return}this.#t.deny(),this.#n.deny(),this.#s!==0&&r.deny()}get allowed(){return this.#r.allowed}get delayMs(){return this.#r.delayMs}get overQuota(){return this.#r.overQuota}get blocked(){return this.#r.blocked}get used(){return this.#r.used}get resetAfterMs(){return this.#r.resetAfterMs}get remaining(){if(this.#i!==0)return 0;let e=Math.min(this.#t.remaining,this.#n.remaining);return Math.max(0,e,this.#r.limitState.remaining-this.#o(0))}get retryAfterMs(){let e=xn(this.#t.retryAfterMs,this.#n.retryAfterMs),t=this.#a(Math.max(1,this.#r.cost));return xn(vM(e,t),this.#i)}get#i(){return xn(this.#s,this.#r.closedMs)}get#s(){return xn(this.#t.limitState.untilMs(oh),this.#n.limitState.untilMs(oh))}#o(e){return Ql(this.#n.limitState.availableIn(e),this.#e)}#a(e){let t=this.#i;for(let r=0;r<SM&&t!=="never";r+=1){let i=this.#l(e,t);if(i===t){let s=Math.ceil(t/sh)*sh;if(i=this.#l(e,s),i===s||i==="never")return t}t=i}return xn(t,this.#r.limitState.untilMs(e+Ql(this.#n.limit.quota,this.#e)))}#l(e,t){return xn(t,this.#r.limitState.untilMs(e+this.#o(t)))}};function xn(n,e){return n==="never"||e==="never"?"never":Math.max(n,e)}o(xn,"later");function vM(n,e){return n==="never"?e:e==="never"?n:Math.min(n,e)}o(vM,"earlier");function Fr(n,e,t){return vs(n,e),new Vt(t,e,n.checks[e]?.lend)}o(Fr,"guaranteeAt");function vs({checks:n,atLeast:e,renew:t},r){let i=JSON.stringify(n[r]?.name);if(e!==void 0||t)throw new g("SLUICE_UNSUPPORTED",`the limit ${i} has guaranteed parts, so an ask about it must not have atLeast or renew`);if(!(n[r-1]?.shadow&&n[r-2]?.shadow))throw new g("SLUICE_UNSUPPORTED",`the limit ${i} has lend, so the two checks before it must be its parts, both with shadow`)}o(vs,"checkGuarantee");var AM=864e5,ah=6e4;function ee(n){let{id:e,holdMs:t=0}=n;return e!==void 0&&t>0}o(ee,"isRemembered");function ue({id:n,attempt:e=n}){return e}o(ue,"slotIdOf");function As({reply:n,attempt:e},t,r){if(!n.allowed)return!0;if(t.onlyAttempt&&e!==t.attempt)return!1;let i=e??t.id;return t.checks.every((s,a)=>!CM(s,a,n)||r(s,a,i))}o(As,"isRepeated");function CM({limit:n,cost:e},t,{verdicts:r}){return T(n)&&e>0&&r[t]?.allowed===!0}o(CM,"tookSlot");function Cs({reply:n},e){return{...n,nowMs:e}}o(Cs,"repeatedReply");function Es(n,e,t){let{keptUntilMs:r=0,notAfterMs:i=Number.POSITIVE_INFINITY,unspent:s}=n,a=s?i+1-t:Number.POSITIVE_INFINITY;return Math.max(Math.min(e,AM,a),r+1-t)}o(Es,"changeKeptMs");function $t(n,e){let{shadow:t,...r}=n;return e===(t===!0)?n:e?{...r,shadow:!0}:r}o($t,"enforcedAs");function B(n){return typeof n!="object"&&typeof n!="function"?!1:typeof n?.then=="function"}o(B,"isPromise");function b(n,e){return B(n)?Promise.resolve(n).then(e):e(n)}o(b,"whenReady");function Rn(n,e,t,r){return B(n)?EM(n,e,t,r):e(n,t,r)}o(Rn,"whenReadyWith");function EM(n,e,t,r){return Promise.resolve(n).then(i=>e(i,t,r))}o(EM,"nextLater");function Os(n,e,t,r){let i=new Array(n.length);for(let s=0;s<n.length;s+=1){let a=e(n[s],t,r);if(B(a))return OM(n,e,t,r,i,s,a);i[s]=a}return i}o(Os,"mapInOrder");async function OM(n,e,t,r,i,s,a){i[s]=await a;for(let l=s+1;l<n.length;l+=1)i[l]=await e(n[l],t,r);return i}o(OM,"mapLater");function be(n,e){let t;try{t=n()}catch(r){return e(r)}return B(t)?Promise.resolve(t).then(void 0,e):t}o(be,"recover");function Tn(n,e,t){let r;try{r=n()}catch(i){t(i);return}B(r)?r.then(e,t):e(r)}o(Tn,"whenSettled");function ne(n,e){return n?(...t)=>{try{return Promise.resolve(e(...t))}catch(r){return Promise.reject(r)}}:e}o(ne,"answering");var dh=["store","local","allow","deny"],uh=0,ch=4,fh=8,Gt=0,mh=1,Wr=2,hh=3,_r=4,Ls=10,ph=[5,10,25,50,100,250,500,1e3,2500,5e3,1e4,3e4,6e4,3e5];function lh(){return new Float64Array(_r+Ls+1)}o(lh,"newNumbers");var Rs=class{static{o(this,"LimitCounts")}name;numbers=lh();alone=lh();slots=0;hasSlots=!1;isKnown=!1;delays;limit;enforce;#e=0;constructor(e,t){this.name=t,this.delays=new Ft({kind:"delay",policy:e,limit:t},ph)}get isInForce(){return this.#e>0}describe(e,t){this.limit=e,this.enforce=t,this.isKnown=!0,e&&T(e)&&(this.hasSlots=!0)}added(){this.#e+=1}slotTaken(){this.slots+=1,this.hasSlots=!0}removed(){this.#e-=1,!this.isInForce&&(this.limit=void 0,this.enforce=void 0)}foldInto(e){for(let[t,r]of this.numbers.entries())e.numbers[t]=e.numbers[t]+r+this.alone[t];e.delays.addAll(this.delays),e.hasSlots||=this.hasSlots,this.numbers=e.numbers,this.delays=e.delays}},Ts=class{static{o(this,"PolicyCounts")}policy;decisions=new Float64Array(12);skipped={skip:0,allowList:0,denyList:0,unknown:0,blocked:0,refused:0};storeErrors=ps();waiting=0;waits;#e=new Map;#t=new Set;constructor(e){this.policy=e,this.waits=new Ft({kind:"wait",policy:e},ph)}get limits(){return this.#e.values()}limit(e){let t=this.#e.get(e),r=!t&&this.#e.size>=RM?Ln:e;return t??S(this.#e,r,()=>this.#r(r))}limitSoFar(e){return this.#e.get(e)??this.#n()}added(e){for(let t of e)t.added(),this.#t.delete(t),S(this.#e,t.name,()=>t)}removed(e){for(let r of e)r.removed(),r.isInForce||this.#t.add(r);let t=this.#t.size-TM;for(let r of this.#t){if(t<=0)return;r.slots>0||r.name===Ln||(this.#t.delete(r),this.#e.delete(r.name),r.isKnown&&r.foldInto(this.#n()),t-=1)}}#n(){let e=S(this.#e,Ln,()=>new Rs(this.policy,Ln));return e.isKnown=!0,e}#r(e){let t=new Rs(this.policy,e);return this.#t.add(t),t}},xM=1e4,RM=1e3,TM=16,Ln="(others)",xs=new Map;function Is(n){let e=xs.get(n);return!e&&xs.size>=xM?S(xs,Ln,()=>new Ts(Ln)):e??S(xs,n,()=>new Ts(n))}o(Is,"countsOfPolicy");function Me(n,e){let t=n[0]?.policy??"";t!==""&&Wt(Is(t).storeErrors,e),we("sluice:store-error",{error:e,policy:t,source:"store"})}o(Me,"publishStoreError");function gt(n){return be(n,e=>{throw LM(e)})}o(gt,"callingStore");function LM(n){return n instanceof g?n:new g("SLUICE_STORE",`the store failed: ${IM(n)}`,{cause:n})}o(LM,"codedError");function IM(n){return n instanceof Error?n.message:String(n)}o(IM,"messageOf");function kt(n){let e="a newer version of Sluice has written about this key in a form that this version does not know, so nothing was changed: update this program, or reset the key";return new g("SLUICE_STORE",e,{atMs:n})}o(kt,"unknownFormError");function qt(n){return new g("SLUICE_STORE","the answer came after its deadline; nothing was charged",{atMs:n,storeFailure:"timeout"})}o(qt,"tooLateError");function nt(n){return n.map(e=>({...e,cost:1}))}o(nt,"unitChecks");var Kr=require("node:crypto");var{imul:$e}=Math,yh=128,PM=16384,NM=32768,Ps=class{static{o(this,"Fingerprints")}high=0;low=0;#e=(0,Kr.getRandomValues)(new Uint8Array(32));#t=(0,Kr.getRandomValues)(new Int32Array((1+yh)*4));startOf(...e){let t=(0,Kr.createHmac)("sha256",this.#e).update(JSON.stringify(e)).digest();return Int32Array.of(0,4,8,12).map(r=>t.readInt32LE(r))}read(e,t){t.length>yh?this.#n(e,de(t),NM):this.#n(e,t,0)||this.#r(e,t)}#n(e,t,r){let i=this.#t,s=t.length,a=s|r,l=e[0]+$e(i[0],a)|0,d=e[1]+$e(i[1],a)|0,u=e[2]+$e(i[2],a)|0,c=e[3]+$e(i[3],a)|0,f=0;for(let m=0,h=4;m<s;m+=2,h+=4){let y=t.charCodeAt(m),k=m+1<s?t.charCodeAt(m+1):0,C=y|k<<8;f|=y|k,l=l+$e(i[h],C)|0,d=d+$e(i[h+1],C)|0,u=u+$e(i[h+2],C)|0,c=c+$e(i[h+3],C)|0}return this.#i(l,d,u,c),f<256}#r(e,t){let r=this.#t,i=[0,1,2,3].map(s=>{let a=e[s]+$e(r[s],t.length|PM)|0;for(let l=0;l<t.length;l+=1)a=a+$e(r[4+4*l+s],t.charCodeAt(l))|0;return a});this.#i(...i)}#i(e,t,r,i){this.high=e&4294901760|t>>>16,this.low=r&4294901760|i>>>16}};var dd=new Int32Array(1),Ds=class{static{o(this,"KeyIndex")}#e;#t=new Array(256).fill(dd);#n=new Int32Array(256);constructor(e){this.#e=e}find(e,t){let r=this.#t[e>>>24],i=e<<8&-16777216,s=Ns(t,r);for(let a=r[s];a!==0;a=r[s]){if((a&-16777216)===i&&this.#e.isFor(a&16777215,e,t))return a&16777215;s=Vr(s,r)}return 0}add(e){let t=this.#e.high(e),r=t>>>24,i=this.#n[r]+1;this.#n[r]=i;let s=this.#t[r];i>s.length*.8&&this.#i(r,Math.max(8,Math.ceil(s.length*1.5))),gh(this.#t[r],t<<8&-16777216|e,this.#e.low(e))}delete(e){let t=this.#e.high(e)>>>24,r=this.#t[t],i=Ns(this.#e.low(e),r);for(;(r[i]&16777215)!==e;)i=Vr(i,r);this.#r(r,i);let s=this.#n[t]-1;this.#n[t]=s,s===0?this.#t[t]=dd:s<r.length*.25&&r.length>8&&this.#i(t,r.length>>>1)}clear(){this.#t.fill(dd),this.#n.fill(0)}#r(e,t){let r=t;for(let i=Vr(t,e);e[i]!==0;i=Vr(i,e)){let s=Ns(this.#e.low(e[i]&16777215),e);kh(s,i,e)<kh(r,i,e)||(e[r]=e[i],r=i)}e[r]=0}#i(e,t){let r=this.#t[e],i=new Int32Array(t);for(let s of r)s!==0&&gh(i,s,this.#e.low(s&16777215));this.#t[e]=i}};function gh(n,e,t){let r=Ns(t,n);for(;n[r]!==0;)r=Vr(r,n);n[r]=e}o(gh,"enter");function Ns(n,{length:e}){return Math.floor((n>>>0)*e/2**32)}o(Ns,"placeOf");function Vr(n,{length:e}){return n+1===e?0:n+1}o(Vr,"after");function kh(n,e,{length:t}){return e>=n?e-n:e-n+t}o(kh,"distance");var ud=class{constructor(e,t){this.number=e;this.numbers=new Float64Array(t),this.words=new Int32Array(this.numbers.buffer),this.untouched=e===0?1:0}number;static{o(this,"Page")}numbers;words;objects;live=0;untouched;free=-1},In=class{static{o(this,"Slab")}pages=[];#e;#t;#n=[];#r=[];constructor(e,t){this.#e=e,this.#t=t}take(){let e=this.#n.at(-1)??this.#s(),t=e.free===-1?e.untouched:e.free;return e.free===-1?e.untouched+=1:e.free=e.words[2*this.#e*t],e.live+=1,this.#i(e)&&this.#n.pop(),e.number<<this.#t|t}release(e){let t=this.pages[e>>>this.#t],r=e&(1<<this.#t)-1;this.#i(t)&&this.#n.push(t),t.words[2*this.#e*r]=t.free,t.free=r,t.live-=1,t.live===0&&this.#n.length>1&&this.#o(t)}clear(){this.pages.length=0,this.#n=[],this.#r=[]}#i(e){return e.free===-1&&e.untouched===1<<this.#t}#s(){let e=new ud(this.#r.pop()??this.pages.length,this.#e<<this.#t);return this.pages[e.number]=e,this.#n.push(e),e}#o(e){this.pages[e.number]=void 0,this.#r.push(e.number),this.#n.splice(this.#n.indexOf(e),1)}};var _s=7,rt=2*_s,md=10,Se=(1<<md)-1,bh=3,Us=8,Le=9,Bs=10,js=11,cd=12,fd=13,Pn=3,yd=0,gd=1,it=2,Fs=3,Ht=3,zt=4,re=8,wt=16,Gr=32,hd=6,$r=(1<<hd)-1,Mh=4096,wh=2147483647,kd=-2147483648,pd=kd+it;function qr(n,e){return n<=1||n*8<=e?yd:n*2<=e?-gd:-it}o(qr,"notExhausted");var Ws=class{static{o(this,"Rows")}#e=new In(_s,md);take(e,t){let r=this.#e.take(),{words:i}=this.page(r),s=(r&Se)*rt;return i[s+Le]=0,i[s+Bs]=e,i[s+js]=t,r}release(e){this.#n(e,Le,0),this.#e.release(e)}clear(){this.#e.clear()}page(e){return this.#e.pages[e>>>md]}object(e){return this.page(e).objects?.[e&Se]}setObject(e,t){let r=this.page(e);r.objects??=new Array(Se+1),r.objects[e&Se]=t}isFor(e,t,r){let{words:i}=this.page(e),s=(e&Se)*rt;return i[s+js]===r&&i[s+Bs]===t}high(e){return this.#t(e,Bs)}low(e){return this.#t(e,js)}marks(e){return Ge(this.page(e),e)}setMarks(e,t){this.#n(e,Le,this.#t(e,Le)&~$r|t)}slot(e){return this.#t(e,Le)>>>hd}putFirst(e,t,r){let{words:i}=this.page(e),s=(e&Se)*rt;i[s+Le]=t<<hd|i[s+Le]&$r,i[s+cd]=r,i[s+fd]=0}takeOut(e){this.#n(e,Le,this.#t(e,Le)&$r)}next(e){return this.#t(e,cd)}setNext(e,t){this.#n(e,cd,t)}previous(e){return this.#t(e,fd)}setPrevious(e,t){this.#n(e,fd,t)}expiresMs(e){return this.page(e).numbers[ce(e)+bh]}exhaustedUntilMs(e){let t=this.#t(e,Us);return t<=pd?0:this.expiresMs(e)-(t>=0?t:-t*Mh)}rankAt(e,t){let r=this.#t(e,Us);return r<=pd?r-kd:this.exhaustedUntilMs(e)>t?Fs:it}dueMs(e){return(this.marks(e)&Ht)===Fs?this.exhaustedUntilMs(e):this.expiresMs(e)}#t(e,t){return this.page(e).words[(e&Se)*rt+t]}#n(e,t,r){this.page(e).words[(e&Se)*rt+t]=r}};function ce(n){return(n&Se)*_s}o(ce,"offsetOf");function Ge(n,e){return n.words[(e&Se)*rt+Le]&$r}o(Ge,"marksOf");function Sh(n,e,t,r){let{words:i}=n,s=(e&Se)*rt;return i[s+js]===r&&i[s+Bs]===t&&i[s+Le]>$r}o(Sh,"isStillFor");function Ks(n,e,t,r){let{numbers:i,words:s}=n,a=e&Se,l=a*_s+bh,d=r<=0?kd-r:DM(t-r),u=t-i[l],c=s[a*rt+Us]===d&&(u===0||u>0&&d<=pd);return i[l]=t,s[a*rt+Us]=d,!c}o(Ks,"setTimes");function DM(n){return n<=wh?n:-Math.min(wh-1-it,Math.floor(n/Mh))}o(DM,"leadOf");var Vs=class{static{o(this,"TimerWheel")}#e;#t=[];#n=[];#r=[];constructor(e){this.#e=e}add(e,t){let r=this.#o(this.#e.dueMs(e),t),{first:i}=r;this.#e.putFirst(e,r.number,i),i!==0&&this.#e.setPrevious(i,e),r.first=e}remove(e){let t=this.#s(e);if(!t)return;let r=this.#e.next(e),i=this.#e.previous(e);r!==0&&this.#e.setPrevious(r,i),i!==0?this.#e.setNext(i,r):t.first=r,this.#e.takeOut(e),t.first===0&&this.#l(t)}moved(e,t){let r=this.#s(e);r&&this.#e.dueMs(e)>=r.startMs||(this.remove(e),this.add(e,t))}takeDue(e,t){for(let r=this.#t[0];r&&r.startMs<=e&&t.looks>0;r=this.#t[0]){let i=r.first;if(t.looks-=1,this.remove(i),this.#e.dueMs(i)<=e)return i;this.add(i,e)}return 0}takeFirst(e,t){let r=0;for(let i=this.#t[0];i;i=this.#t[0]){if(t.looks<=0&&r!==0)return this.#i(r,this.#t[1]?.first??r);t.looks-=1;let s=i.first,{startMs:a,endMs:l}=i,d=l-a<=Math.max(1,(l-e)/8);this.remove(s);let u=this.#e.dueMs(s);if(u<=e||d&&u<l)return s;this.add(s,e),(r===0||u<this.#e.dueMs(r))&&(r=s)}return 0}#i(e,t){let r=this.#e.dueMs(t)<this.#e.dueMs(e)?t:e;return this.remove(r),r}#s(e){return this.#n[this.#e.slot(e)-1]}#o(e,t){let r=Math.min(e,t+281474976710656),i=1;for(;r-t>=i*8*8;)i*=8;let s=Math.floor(r/i)*i,a=r<e?Number.POSITIVE_INFINITY:s+i,l=this.#d(s,a),d=this.#t[l];if(d&&d.startMs===s&&d.endMs===a)return d;let u=this.#a(s,a);return this.#t.splice(l,0,u),u}#a(e,t){let r=this.#r.pop();return r||(r={number:this.#n.length+1,startMs:e,endMs:t,first:0},this.#n.push(r)),r.startMs=e,r.endMs=t,r}#l(e){this.#t.splice(this.#d(e.startMs,e.endMs),1),this.#r.push(e)}#d(e,t){let r=0,i=this.#t.length;for(;r<i;){let s=r+i>>>1,a=this.#t[s];a.startMs<e||a.startMs===e&&a.endMs<t?r=s+1:i=s}return r}};var BM=20,jM=4e3,UM=2,FM=16,WM=64,_M=[it,gd,yd],$s=class{static{o(this,"Retention")}#e;#t;#n;#r;#i=0;#s;constructor(e,t,r){this.#e=e,this.#t=Array.from({length:Ht+1},()=>new Vs(e)),this.#r=t,this.#n=r}get size(){return this.#i}add(e,t){this.#i+=1,this.#l(e,t),this.#s??=KM(this)}moved(e,t){let r=this.#u(e);this.#e.rankAt(e,t)===(this.#e.marks(e)&Ht)?r.moved(e,t):(r.remove(e),this.#l(e,t))}remove(e){this.#u(e).remove(e),this.#d(e)}evict(e){if(this.dropExpired(e))return!1;let t={looks:WM};for(let r of this.#t){let i=r.takeFirst(e,t);if(i===0)continue;let s=this.#e.rankAt(i,e)>=it;return this.#d(i),s}return!1}dropExpired(e){let t={looks:FM};this.#a(e,t);let r=this.#o(e,t);return r!==0&&this.#d(r),r!==0}stop(){this.#s?.(),this.#s=void 0}sweep(){let e=this.#r(),t={looks:jM},r=x()+UM;this.#a(e,t);for(let i=this.#o(e,t);i;i=this.#o(e,t))if(this.#d(i),x()>r)return}#o(e,t){for(let r of _M){let i=this.#c(r).takeDue(e,t);if(i!==0)return i}return 0}#a(e,t){let r=this.#c(Fs);for(let i=r.takeDue(e,t);i;i=r.takeDue(e,t))this.#l(i,e)}#l(e,t){let r=this.#e.rankAt(e,t),i=this.#e.marks(e);r!==(i&Ht)&&this.#e.setMarks(e,i&~Ht|r),this.#c(r).add(e,t)}#d(e){this.#i-=1,this.#n(e),this.#i===0&&this.stop()}#u(e){return this.#c(this.#e.marks(e)&Ht)}#c(e){return this.#t[e]}};function KM(n){let e=new WeakRef(n),t=hs(BM,()=>{let r=e.deref();r?r.sweep():t()});return t}o(KM,"sweepInBackground");var Gs=6,vh=5,wd=10,Nn=class{static{o(this,"NumberPool")}#e=Array.from({length:vh},(e,t)=>new In(Gs<<t,wd-t));static LARGEST=Gs<<vh-1;static areAlike(e,t){return e===t||Hr(e)===Hr(t)}take(e){return this.#t(e).take()}release(e,t){this.#t(t).release(e)}numbers(e,t){return this.#t(t).pages[e>>>wd-Hr(t)].numbers}offset(e,t){let r=Hr(t);return(e&(1<<wd-r)-1)*(Gs<<r)}clear(){for(let e of this.#e)e.clear()}#t(e){return this.#e[Hr(e)]}};function Hr(n){return 32-Math.clz32(Math.trunc((n-1)/Gs))}o(Hr,"kindOf");var jn=0,bd=-1,Yt=0,Hs=zt|Gr,qs=zt|re|wt,Dn=0,Bn=1,zr=2,zs=class{static{o(this,"StateCodec")}#e;#t=new Nn;#n=0;constructor(e){this.#e=e}read(e,t,r,i){let s=Ge(e,t);return r===void 0||(s&qs)!==0?this.#r(e,t,r,s,i):(i.stamp=0,i.blockEndsMs=jn,i.admittedMs=bd,i.strikes=Yt,r.read(i.state,e.numbers,ce(t),Pn),i)}write(e,t,r,i){let{state:s}=i;return r===void 0||Ah(i)!==0||(Ge(e,t)&qs)!==0||r.length(s)!==Pn?this.#i(e,t,r,i):(i.stamp=0,r.write(s,e.numbers,ce(t),!1),!1)}findNumbers(e,t,r){let i=Ge(e,t),{numbers:s}=e,a=ce(t);if((i&qs)===0)return r.numbers=s,r.from=a,r.length=Pn,!0;if((i&qs)!==re)return!1;let l=s[a+Dn],d=s[a+Bn];return r.numbers=this.#t.numbers(l,d),r.from=this.#t.offset(l,d),r.length=d,!0}changed(e,t){(Ge(e,t)&re)!==0&&(this.#n+=1,e.numbers[ce(t)+zr]=this.#n)}#r(e,t,r,i,s){if(r===void 0||(i&wt)!==0)return this.#e.object(t);let{numbers:a}=e,l=ce(t);if((i&re)===0)s.stamp=0,Ch(s,r,i,a,l,Pn);else if(s.stamp!==a[l+zr]){let d=a[l+Dn],u=a[l+Bn];s.stamp=a[l+zr],Ch(s,r,i,this.#t.numbers(d,u),this.#t.offset(d,u),u)}return s}#i(e,t,r,i){let s=Ge(e,t);if(r===void 0||(s&wt)!==0)return this.#o(t,i);let a=Ah(i),l=r.length(i.state)+Md(a);if(l>Nn.LARGEST)return this.#o(t,i);if((s&Hs)!==a&&this.#e.setMarks(t,s&~Hs|a),l===Pn)(s&re)!==0&&this.#l(t),i.stamp=0,Eh(i,r,a,e.numbers,ce(t),!1);else{let d=e.numbers,u=ce(t),c=(s&re)!==0&&Nn.areAlike(d[u+Bn],l);c||this.#a(e,t,l),this.#n+=1,i.stamp=this.#n,d[u+zr]=this.#n,d[u+Bn]=l;let f=d[u+Dn],m=c&&(s&Hs)===a;Eh(i,r,a,this.#t.numbers(f,l),this.#t.offset(f,l),m)}return!1}head(e,t){let r=Ge(e,t);if((r&wt)!==0)return this.#e.object(t);if((r&zt)===0)return{blockEndsMs:jn,strikes:Yt};let[i,s]=this.#s(e,t,r),a=(r&Gr)===0?Yt:i[s+2];return{blockEndsMs:i[s],strikes:a}}lift(e,t){let r=Ge(e,t);if((r&wt)!==0)Object.assign(this.#e.object(t),{blockEndsMs:jn,strikes:Yt});else if((r&zt)!==0){let[i,s]=this.#s(e,t,r);if(i[s]=jn,(r&Gr)!==0&&(i[s+2]=Yt),(r&re)===0)return;this.#n+=1,e.numbers[ce(t)+zr]=this.#n}}#s(e,t,r){let{numbers:i}=e,s=ce(t);if((r&re)===0)return[i,s];let a=i[s+Dn],l=i[s+Bn];return[this.#t.numbers(a,l),this.#t.offset(a,l)]}release(e){let t=this.#e.marks(e);(t&re)!==0&&this.#l(e),(t&wt)!==0&&this.#e.setObject(e,void 0)}clear(){this.#t.clear()}#o(e,t){return this.#e.object(e)===t?!1:((this.#e.marks(e)&re)!==0&&this.#l(e),this.#e.setMarks(e,this.#e.marks(e)|wt),this.#e.setObject(e,t),!0)}#a(e,t,r){(Ge(e,t)&re)!==0&&this.#l(t),this.#e.setMarks(t,this.#e.marks(t)|re),e.numbers[ce(t)+Dn]=this.#t.take(r)}#l(e){let t=this.#e.page(e).numbers,r=ce(e);this.#t.release(t[r+Dn],t[r+Bn]),this.#e.setMarks(e,this.#e.marks(e)&~re)}};function Ah({blockEndsMs:n,admittedMs:e,strikes:t}){return t!==Yt?Hs:n!==jn||e!==bd?zt:0}o(Ah,"headOf");function Md(n){return(n&zt)===0?0:(n&Gr)===0?2:3}o(Md,"headLength");function Ch(n,e,t,r,i,s){let a=Md(t);n.blockEndsMs=a===0?jn:r[i],n.admittedMs=a===0?bd:r[i+1],n.strikes=a<3?Yt:r[i+2],e.read(n.state,r,i+a,s-a)}o(Ch,"read");function Eh(n,e,t,r,i,s){let a=Md(t);a>0&&(r[i]=n.blockEndsMs,r[i+1]=n.admittedMs),a===3&&(r[i+2]=n.strikes),e.write(n.state,r,i+a,s)}o(Eh,"write");var Ys=class{static{o(this,"KeyCursor")}namespace;key="";high=0;low=0;row=0;page;isOfNewKey=!0;turnTo(e){e!==this.key&&(this.key=e,this.isOfNewKey=!0)}enter(e){e!==this.namespace&&(this.namespace=e,this.isOfNewKey=!0)}},Zs=class{static{o(this,"KeyTable")}maxKeys;#e;#t=new Ps;#n=new Ws;#r=new Ds(this.#n);#i=new zs(this.#n);#s;#o=0;#a=!1;constructor(e,t){this.maxKeys=e,this.#e=t,this.#s=new $s(this.#n,()=>t.now(),r=>this.#f(r))}get size(){return this.#s.size}now(){if(this.#a)throw new g("SLUICE_CLOSED","the store was closed");return this.#e.now()}startOf(...e){return this.#t.startOf(...e)}find(e){return e.isOfNewKey?this.#l(e):this.has(e)||this.#d(e),e.page!==void 0}findNumbers({page:e,row:t},r){return this.#i.findNumbers(e,t,r)}changed({page:e,row:t},{nowMs:r,resetAfterMs:i},s){this.#i.changed(e,t),Ks(e,t,r+i,s)&&this.#s.moved(t,r)}read({page:e,row:t,namespace:r},i){return this.#i.read(e,t,r.layout,i)}#l(e){this.#t.read(e.namespace.start,e.key),e.high=this.#t.high,e.low=this.#t.low,e.isOfNewKey=!1,this.#d(e)}#d(e){let t=this.#r.find(e.high,e.low);e.row=t,e.page=t===0?void 0:this.#n.page(t)}has({page:e,row:t,high:r,low:i}){return e!==void 0&&Sh(e,t,r,i)}hasRoomFor(e,t){do if(this.size+e()<=this.maxKeys)return!0;while(this.#s.dropExpired(t));return!1}write(e,t,r,i,s){if(this.has(e))return this.#u(e,t,r,i,s);this.size>=this.maxKeys&&this.#s.evict(s)&&(this.#o+=1);let a=this.#n.take(e.high,e.low),l=this.#n.page(a);e.row=a,e.page=l;let d=this.#i.write(l,a,e.namespace.layout,t);return Ks(l,a,r,i),this.#r.add(a),this.#s.add(a,s),d}#u({page:e,row:t,namespace:r},i,s,a,l){let d=this.#i.write(e,t,r.layout,i);return Ks(e,t,s,a)&&this.#s.moved(t,l),d}remove(e){this.has(e)&&this.#s.remove(e.row)}forget({start:e},t,r){let i=this.#c(e,t);if(i===0)return!1;let s=this.#n.expiresMs(i)>r;return this.#s.remove(i),s}headOf({start:e},t){let r=this.#c(e,t);return r===0?void 0:this.#i.head(this.#n.page(r),r)}lift({start:e},t,r){let i=this.#c(e,t);if(i===0)return!1;let s=this.#n.page(i),{blockEndsMs:a}=this.#i.head(s,i);return this.#i.lift(s,i),a>r&&this.#n.expiresMs(i)>r}#c(e,t){return this.#t.read(e,t),this.#r.find(this.#t.high,this.#t.low)}takeEvicted(){let e=this.#o;return e!==0&&(this.#o=0),e}close(){this.#a=!0,this.#s.stop(),this.#r.clear(),this.#i.clear(),this.#n.clear()}#f(e){this.#r.delete(e),this.#i.release(e),this.#n.release(e)}};var Oh=1e3,Un=class extends En{static{o(this,"CheckContext")}namespace;cursor=new Ys;keyState;hasNoRoom=!1;#e=new Map;#t;beginIn(e,t,r){this.begin(t,r),this.enter(e,t.limit),this.cursor.turnTo(t.key)}enter(e,t){this.limit=t,e!==this.namespace&&(this.namespace=e,this.cursor.enter(e),this.#t=this.#e.get(e.algorithm))}scratch(){return this.#t??=this.#n(),this.#t}dropScratch(){this.#t=void 0,this.#e.delete(this.namespace.algorithm)}#n(){let{algorithm:e,kernel:t}=this.namespace,r={...vn(t.fresh(this.limit,this.nowMs)),stamp:0};return this.#e.set(e,r),r}get closedMs(){return this.hasNoRoom?Oh:super.closedMs}get remaining(){return this.hasNoRoom?0:super.remaining}get retryAfterMs(){return this.hasNoRoom?Oh:super.retryAfterMs}},Qs=class{static{o(this,"Evaluator")}#e;#t;#n;constructor(e,t,r){this.#e=e,this.#t=r,this.#n=t==="refuse"}evaluate(e,t,r,i){Kt(e.limit,e.namespace.name,t),this.read(e),this.judgeAmong(e,t.atLeast??e.cost,ue(t),r,i,t.renew)}read(e){let{cursor:t}=e;e.keyState=this.#e.find(t)?this.#e.read(t,e.scratch()):void 0;let{kernel:r,blocks:i,name:s}=e.namespace;if(e.readState(r,e.keyState),i.held.size===0)return;let a=i.heldUntilMs(s,t.key,e.nowMs);a>e.nowMs&&e.limitState.hold(a)}judgeAmong(e,t,r,i,s,a){e.hasNoRoom=!this.hasRoomFor(e,i,s),e.hasNoRoom?e.deny():e.judge(t,r,a)}hasRoomFor({cursor:e,nowMs:t},r,i){return e.row!==0||!this.#n||this.#r(i,r,t)}#r(e,t,r){let i=t.slice(0,e);return this.#e.hasRoomFor(()=>i.filter(({cursor:s})=>!this.#e.has(s)).length+1,r)}recordIn(e,t,r,i){if(e.hasNoRoom||!e.record(t,r,i))return;this.write(e);let{limitState:s,isShadow:a,namespace:l,cursor:d}=e;if(!s.hasBegunBlock||a)return;let{ownBlock:u}=s;u&&l.blocks.begun(d.key,u.untilMs,u.strikes)}write(e){let{cursor:t,limitState:r,nowMs:i}=e,{keptMs:s}=r;if(s===0){this.#e.remove(t);return}let a=i+s,l=e.keyState??e.scratch();r.writeTo(l);let d=VM(e,l.strikes,a);l.heldUntilMs=0,this.#e.write(t,l,a,d,i)&&e.dropScratch()}publishEvicted(){let e=this.#e.takeEvicted();e!==0&&(this.#t.evictedKeys+=e,we("sluice:evicted",{keys:e}))}};function VM({limitState:n,limit:e,nowMs:t},r,i){if(n.remaining>0)return r>0?-it:qr(n.used,e.quota);let s=n.untilMs(1);return s==="never"?i:Math.min(i,t+s)}o(VM,"exhaustionOf");var Zr=class{static{o(this,"ExpiringMap")}#e;#t=new Map;#n=this.#t.values();#r;constructor(e){this.#e=e}recall(e,t){let r=this.#t.get(e);return r&&t<r.untilMs?r.value:void 0}remember(e,t,r,i){this.#t.delete(e);for(let s=16;;s-=1){let a=this.#i();if(!a||(i<a.untilMs||s<=0)&&this.#t.size<this.#e)break;this.#t.delete(a.id)}this.#t.set(e,{id:e,value:t,untilMs:r})}#i(){for(;!this.#r||this.#t.get(this.#r.id)!==this.#r;){let{done:e,value:t}=this.#n.next();if(!e)this.#r=t;else{this.#n=this.#t.values(),this.#r=void 0;return}}return this.#r}};var $M=new Float64Array(0),Js=class{static{o(this,"InPlaceDecision")}numbers=$M;from=0;length=0;cost=1;nowMs=Number.NaN;allowed=!1;available=Number.NaN;resetAfterMs=Number.NaN;retryAfterMs=Number.NaN;delayMs=Number.NaN};var GM={},xh=[],Xs=class{static{o(this,"MemoryFastPath")}atMs=Number.NaN;#e;#t;#n;#r=new Un;#i;#s;#o=new Js;#a=!1;constructor({policy:e,name:t,limit:r},i,s,a){this.#e=e,this.#t=t,this.#n=i,this.#i=s,this.#s=a,r&&this.#l(r,0)}consume(e,t,r,i){let s=this.#i.now(),a=this.#r;(r!==a.limit||i!==a.margin)&&this.#l(r,i),a.cursor.turnTo(e),a.cost=t,a.nowMs=s,this.atMs=s;let{blocks:l}=a.namespace,d=l.held.size!==0&&l.heldUntilMs(this.#t,e,s)>s;if(this.#a&&!d){let c=this.#i.find(a.cursor)?this.#d()??this.#u():this.#c();if(c!==void 0)return c}return this.#m()}#l(e,t){let r=this.#r,i={policy:this.#e,name:this.#t,limit:e};r.enter(this.#n.ofLimit(i,r.namespace),e),r.margin=t,this.#a=e.blockMs===void 0&&e.countRejected===void 0&&e.quota>0&&t===0}#d(){let{cursor:e,namespace:t,limit:r,cost:i,nowMs:s}=this.#r,{kernel:a}=t,l=this.#o;if(a.decideInPlace===void 0||i===0||!this.#i.findNumbers(e,l)||(l.cost=i,l.nowMs=s,!a.decideInPlace(r,l)))return;let{allowed:d,available:u,resetAfterMs:c,retryAfterMs:f,delayMs:m}=l,h=r.quota-u;d&&this.#i.changed(e,l,qr(h,r.quota));let y=Math.max(0,u);return{name:this.#t,limit:r,cost:i,allowed:d,remaining:y,used:h,resetAfterMs:c,retryAfterMs:f,delayMs:m}}#u(){let e=this.#r,{namespace:t,cursor:r,limit:i,nowMs:s}=e,a=this.#i.read(r,e.scratch()),{state:l,blockEndsMs:d,admittedMs:u}=a;return d===0&&u<0&&t.kernel.normalize(l,i,s)===l?this.#f(a):void 0}#c(){let e=this.#r,{namespace:t,limit:r,nowMs:i}=e;if(!this.#s.hasRoomFor(e,xh,0))return;let s=e.scratch();nh(s,t.kernel.fresh(r,i));let a=this.#f(s);return this.#h(i),a}#f(e){let t=this.#t,r=this.#r,{namespace:i,cursor:s,limit:a,cost:l,nowMs:d}=r,{kernel:u}=i,{state:c}=e,f=u.available(c,a,d),m=Math.max(1,l);if(l>f){let ve=Math.max(0,f),nn=a.quota-f,rn=u.waitMs(c,a,a.quota,d),Q=u.waitMs(c,a,m,d);return{name:t,limit:a,cost:l,allowed:!1,remaining:ve,used:nn,resetAfterMs:rn,retryAfterMs:Q,delayMs:0}}let h=f-l;if(l===0||h<=0)return;let y=u.delayMs===void 0?0:u.delayMs(c,a,d);u.spend(c,a,l,d);let k=u.waitMs(c,a,a.quota,d),C=u.retentionMs?.(c,a,d)??k,O=a.quota-h;this.#i.write(s,e,d+C,qr(O,a.quota),d)&&r.dropScratch();let I=m<=h?0:u.waitMs(c,a,m,d);return{name:t,limit:a,cost:l,allowed:!0,remaining:h,used:O,resetAfterMs:k,retryAfterMs:I,delayMs:y}}#m(){let e=this.#r;this.#s.evaluate(e,GM,xh,0);let{nowMs:t,limit:r,cost:i,allowed:s}=e;this.#s.recordIn(e,i,s);let a=z({name:this.#t,limit:r,cost:i},e);return this.#h(t),a}#h(e){this.#s.publishEvicted(),this.atMs=e}};var qe=1e4;function Ie({key:n}){return de(n)}o(Ie,"blockedHash");function bt(n,e){let[t,r]=[Rh(n),Rh(e)];return t!==r?t-r:n.hash!==e.hash?n.hash<e.hash?-1:1:n.by===e.by?0:n.by<e.by?-1:1}o(bt,"compareBlocks");function eo(n,{after:e,limit:t}){return(e===void 0?[...n]:[...n].filter(i=>bt(i,e)>0)).sort(bt).slice(0,t)}o(eo,"blocksIn");function Rh({untilMs:n}){return n==="forever"?Z:n}o(Rh,"endMs");function He(n){return n>=Z?"forever":n}o(He,"untilOf");function to(n,e){return n==="forever"?Z:e+n}o(to,"heldUntilOf");function Zt(n,e,t){let[r,i,s]=[0,0,0];for(let a of n)a.blockEndsMs>r&&([r,i]=[a.blockEndsMs,Math.max(1,a.strikes)]),s=Math.max(s,a.heldUntilMs);if(!(Math.max(r,s)<=e))return r>s?{untilMs:r,by:"limit",strikes:i}:{untilMs:He(s),by:"admin",strikes:0,...t!==void 0&&{reason:t}}}o(Zt,"blockIn");function Qt(n){return new g("SLUICE_FULL",`the policy ${JSON.stringify(n)} has ${qe} blocks that were set by hand: lift some with unblock(), or deny addresses with denyList`)}o(Qt,"fullError");var qM=qe/10,HM=6e5,zM=16,no=class{static{o(this,"PolicyBlocks")}#e;#t=new Map;held=this.#t;#n=new Map;constructor(e){this.#e=e}heldUntilMs(e,t,r){let i=this.#t.get(t);return i===void 0?0:(r>=i.untilMs&&Th(i,r)&&this.#t.delete(t),i.ends.get(e)??0)}hold({targets:e,forMs:t,reason:r,text:i},s){let{key:a}=e[0];this.#i(s,zM);let l=this.#t.get(a);l||this.#r(s);let d=to(t,s),u=l?.ends??new Map;for(let{name:f}of e)u.set(f,Math.max(u.get(f)??0,d));if(l&&l.untilMs>=d)return;let c=t==="forever"?Z:x()+Math.max(t,HM);this.#t.set(a,{hash:de(a),ends:u,untilMs:d,freeAtMs:c,reason:r,text:i}),this.#s(0)}lift({name:e,key:t},r){this.#n.size>0&&this.#n.delete(de(t));let i=this.#t.get(t),s=i?.ends.get(e)??0;return i?.ends.delete(e),i?.ends.size===0&&this.#t.delete(t),r<s}begun(e,t,r){let i=de(e);this.#n.has(i)||this.#s(1),this.#n.set(i,{policy:this.#e,hash:i,untilMs:t,strikes:r})}find({name:e,key:t}){let r=this.#t.get(t);return{heldUntilMs:r?.ends.get(e)??0,reason:r?.reason}}*list(e){for(let{hash:t,untilMs:r,reason:i,text:s}of this.#t.values()){if(e>=r)continue;let a={...i!==void 0&&{reason:i},...s!==void 0&&{text:s}};yield{hash:t,untilMs:He(r),by:"admin",strikes:0,...a}}for(let{hash:t,untilMs:r,strikes:i}of this.#n.values())e<r&&(yield{hash:t,untilMs:r,by:"limit",strikes:i})}#r(e){if(!(this.#t.size<qe)){for(let[t,{untilMs:r}]of this.#t)e>=r&&this.#t.delete(t);if(this.#t.size>=qe)throw Qt(this.#e)}}#i(e,t){let r=t;for(let[i,s]of this.#t){if(r===0)return;r-=1,e>=s.untilMs&&Th(s,e)&&this.#t.delete(i)}}#s(e){let t=qe-this.#t.size;if(this.#n.size+e<=t)return;let r=[...this.#n.values()].map(s=>({...s,by:"limit"})).sort(bt),i=Math.max(0,t-qM);for(let{hash:s}of r.slice(0,r.length-i))this.#n.delete(s)}};function Th({untilMs:n,freeAtMs:e},t){return t>=n&&x()>=e}o(Th,"isOver");var YM=1e3,ro=class{static{o(this,"LimitNamespaces")}#e;#t=new Map;#n=new Map;#r=0;constructor(e){this.#e=e}ofLimit({policy:e,name:t,limit:r},i){return i&&i.name===t&&i.policy===e&&i.algorithm===r.algorithm?i:this.of(e,t,U(r).algorithm)}of(e,t,r){return this.#t.get(e)?.get(t)?.get(r)??this.#i(e,t,r)}blocksOf(e){return S(this.#n,e,()=>new no(e))}#i(e,t,r){this.#r>=YM&&(this.#t.clear(),this.#r=0);let{kernel:i}=W[r],s=this.#e.startOf(e,t,r),a=this.blocksOf(e),l={start:s,layout:i.layout,policy:e,name:t,algorithm:r,kernel:i,blocks:a},d=S(this.#t,e,()=>new Map);return S(d,t,()=>new Map).set(r,l),this.#r+=1,l}};var io=class{static{o(this,"MemoryBlocks")}#e;#t;constructor(e,t){this.#e=e,this.#t=t}block(e){let t=this.#e.now(),[r]=e.targets;r&&this.#t.blocksOf(r.policy).hold(e,t)}unblock(e){let t=this.#e.now(),r=!1;for(let i of e){this.#t.blocksOf(i.policy).lift(i,t)&&(r=!0);for(let s of this.#n(i))this.#e.lift(s,i.key,t)&&(r=!0)}return r}find(e){let t=this.#e.now(),r=[],i;for(let s of e){let{heldUntilMs:a,reason:l}=this.#t.blocksOf(s.policy).find(s);i??=l,r.push({blockEndsMs:0,strikes:0,heldUntilMs:a});for(let d of this.#n(s)){let u=this.#e.headOf(d,s.key);u&&r.push({...u,heldUntilMs:0})}}return Zt(r,t,i)}list(e,t){let r=this.#e.now();return eo(this.#t.blocksOf(e).list(r),t)}#n({policy:e,name:t}){return X.map(({algorithm:r})=>this.#t.of(e,t,r))}};var Lh=[],Fn=class n{static{o(this,"MemoryStore")}async=!1;name;clock;supports={atomicAcrossKeys:!0};keyspaces=[new ke(this)];blocks;#e;#t;#n;#r;#i;#s=[];#o;#a;constructor(e={}){E(e,["name","maxKeys","whenFull","clock"]),this.name=J(e.name??"memory","name"),this.#e=v(e.maxKeys??1e5,"maxKeys",1,16e6);let t=j(e.whenFull??"evict","whenFull",["evict","refuse"]);this.clock=Ut(e.clock),this.#t=new Zs(this.#e,this.clock),this.#i=new ro(this.#t),this.blocks=new io(this.#t,this.#i);let r=ks(this.name);this.#n=r.addTable(this.#t),this.#r=new Qs(this.#t,t,r),this.#o=new Zr(this.#e),this.#a=new Zr(this.#e)}get size(){return this.#t.size}consume(e){let t=this.#t.now();if(e.notAfterMs!==void 0&&t>e.notAfterMs)throw qt(t);return ee(e)?this.#l(e,t):this.#d(e,t)}#l(e,t){let{id:r,holdMs:i,attempt:s,peek:a}=e,l=this.#o.recall(r,t);if(l&&As(l,e,o((f,m,h)=>this.#h(f,m,h,t),"holdsSlot")))return Cs(l,t);let u=this.#d(e,t);if(u.outsideCalendarBounds)return u;let c=s===void 0?u:{...u,attempt:s};return a||this.#o.remember(r,{reply:c,attempt:s},t+i,t),c}#d(e,t){return On(e.checks,t)?{atMs:t,allowed:!1,verdicts:[],outsideCalendarBounds:!0}:this.#u(e,t)}fastPath(e,t,r){if(this.consume===n.prototype.consume)return new Xs({policy:e,name:t,limit:r},this.#i,this.#t,this.#r)}adjust(e){let t=this.#t.now(),{checks:r,id:i,notAfterMs:s}=e;if(On(r,t))return{atMs:t,result:"outside-calendar-bounds",verdicts:[]};let l=s!==void 0&&t>s?"expired":i!==void 0&&this.#a.recall(i,t);if(!l)return this.#c(e,t);let{verdicts:d}=this.#u({checks:nt(r),peek:!0},t);return{atMs:t,result:l,verdicts:d}}reset(e){let t=this.#t.now(),r=0;for(let i of e){let{policy:s,name:a,key:l}=i;this.#i.blocksOf(s).lift(i,t)&&(r+=1);for(let{algorithm:d}of X){let u=this.#i.of(s,a,d);this.#t.forget(u,l,t)&&(r+=1)}}return r}close(){this.keyspaces[0].close(),this.#n(),this.#t.close()}#u(e,t){let{checks:r,atLeast:i}=e,s=!0;for(let d=0;d<r.length;d+=1){let u=r[d],c=this.#y(u,d,t),f=u.lend===void 0?void 0:Fr(e,d,this.#s);f?.keepFree(),this.#r.evaluate(c,e,this.#s,d),f?.grant(u.cost,ue(e)),s&&=c.allowed||c.isShadow}let a=i===void 0?void 0:Ms(this.#s.slice(0,r.length),i);e.peek!==!0&&this.#w(e,s&&!e.peek,a);let l=this.#m(r);return this.#r.publishEvicted(),a===void 0?{atMs:t,allowed:s,verdicts:l}:{atMs:t,allowed:s,verdicts:l,taken:s?a:0}}#c(e,t){let{checks:r,id:i,givesBack:s}=e,a="expired",l=0;for(let u=0;u<r.length;u+=1){let c=r[u],f=this.#y(c,u,t);this.#r.read(f);let{limitState:m}=f;l=Math.max(l,m.keptMs);let h=this.#r.hasRoomFor(f,Lh,0)&&Ss(m,c,e);(h||m.isCorrected)&&this.#r.write(f),h&&(a="applied"),l=Math.max(l,m.keptMs)}if(i!==void 0){let u=s?"given-back":"repeated";this.#a.remember(i,u,t+Es(e,l,t),t)}let d=this.#f(nt(r));return this.#r.publishEvicted(),{atMs:t,result:a,verdicts:d}}#f(e){for(let t=0;t<e.length;t+=1){let{lend:r,cost:i}=e[t],s=this.#p(t),a=r===void 0?void 0:Fr({checks:e},t,this.#s);s.cost=i,a?.keepFree(),this.#r.judgeAmong(s,i,void 0,Lh,0),a?.grant(i,void 0)}return this.#m(e)}#m(e){let t=new Array(e.length);for(let r=0;r<e.length;r+=1){let i=e[r],{lend:s}=i;t[r]=z(i,s===void 0?this.#p(r):new Vt(this.#s,r,s))}return t}#h(e,t,r,i){let s=this.#y(e,t,i);return this.#r.read(s),s.limitState.holdsSlot(r)}#y(e,t,r){let i=this.#p(t);return i.beginIn(this.#i.ofLimit(e,i.namespace),e,r),i}#p(e){return this.#s[e]??=new Un,this.#s[e]}#w(e,t,r){let i=t||e.renew!==void 0,s=ue(e);for(let a=0;a<e.checks.length;a+=1){let l=this.#p(a);this.#r.recordIn(l,l.unitsFor(e,i,r),i,s)}}};function ie(n){return new Promise((e,t)=>n({resolve:e,reject:t}))}o(ie,"promiseOf");function Y(n,e){n.then(t=>e.resolve(t),t=>e.reject(t))}o(Y,"passOn");function Wn(n){let{consume:e}=n,t=n.directConsume?.();return t?{known:o(r=>n.consume===e?t.known(r):void 0,"known"),ask:o((r,i)=>n.consume===e?t.ask(r,i):Ih(n,r,i),"ask")}:{known:o(()=>{},"known"),ask:o((r,i)=>Ih(n,r,i),"ask")}}o(Wn,"directConsumeOf");function Ih(n,e,t){let r;try{r=n.consume(e)}catch(i){t.reject(i);return}B(r)?Y(r,t):t.resolve(r)}o(Ih,"consumeFor");function _n(n,e){let t=n.known(e);return t?Promise.resolve(t):ie(r=>n.ask(e,r))}o(_n,"promiseOfReply");var so=class{static{o(this,"GuardedBlocks")}#e;#t;#n;constructor(e,t,r){this.#e=e,this.#t=t,this.#n=r}block(e){return this.#n(e.targets,this.#t(()=>this.#e.block(e),e.targets[0]))}unblock(e){return this.#n(e,this.#t(()=>this.#e.unblock(e),e[0]))}find(e){return this.#t(()=>this.#e.find(e),e[0])}list(e,t){return this.#t(()=>this.#e.list(e,t),{policy:e,name:"",key:e})}};var st=class{static{o(this,"CheckSetMap")}#e=Ph();#t=new Map;#n=0;get size(){return this.#n}get(e){let t=this.#e;for(let r=0;r<e.length;r+=1)if(!Bh(e,r)&&(t=t.branches?.get(e[r].key),t===void 0))return;return Sd(t,e)?.value}set(e,t){let r=Nh(e),i=this.#e;for(let l of r)i.branches??=new Map,i=S(i.branches,l,Ph);let s=Sd(i,e);if(s)return s.value=t,t;let a={checks:e,keys:r,value:t};if(i.entries.push(a),r.length>1)for(let l of r)S(this.#t,l,JM).add(a);return this.#n+=1,t}delete(e){let t=this.#r(this.#e,e,Nh(e),0);if(t&&(this.#n-=1,t.keys.length!==1))for(let r of t.keys){let i=this.#t.get(r);i?.delete(t),i?.size===0&&this.#t.delete(r)}}clear(){this.#e.entries=[],this.#e.branches=void 0,this.#t.clear(),this.#n=0}values(){let e=[];return jh(this.#e,e),e}concernedBy(e){let t=new Set;for(let r of e){let i=this.#e.branches?.get(r.key)?.entries??[];for(let s of[i,this.#t.get(r.key)??[]])for(let{checks:a,value:l}of s)Mt(e,a)&&t.add(l)}return[...t]}#r(e,t,r,i){let s=r[i];if(s===void 0){let d=Sd(e,t);return d&&e.entries.splice(e.entries.indexOf(d),1),d}let a=e.branches?.get(s),l=a&&this.#r(a,t,r,i+1);return l&&ZM(a)&&e.branches?.delete(s),l}};function Mt(n,e){return e.some(t=>n.some(r=>Dh(t,r)))}o(Mt,"concerns");function oo(n,e){return Dh(n,e)&&n.limit.algorithm===e.limit.algorithm}o(oo,"isSameState");function Dh(n,e){return n.key===e.key&&n.name===e.name&&n.policy===e.policy}o(Dh,"isTarget");function Ph(){return{entries:[],branches:void 0}}o(Ph,"newBranch");function ZM({entries:n,branches:e}){return n.length===0&&(e===void 0||e.size===0)}o(ZM,"isBare");function Sd({entries:n},e){for(let t=0;t<n.length;t+=1){let r=n[t];if(QM(r.checks,e))return r}}o(Sd,"entryIn");function QM(n,e){if(n.length!==e.length)return!1;for(let t=0;t<n.length;t+=1)if(!oo(n[t],e[t]))return!1;return!0}o(QM,"haveSameStates");function Bh(n,e){return e>0&&n[e].key===n[e-1].key}o(Bh,"isRepeated");function Nh(n){let e=[];for(let t=0;t<n.length;t+=1)Bh(n,t)||e.push(n[t].key);return e}o(Nh,"keysOf");function JM(){return new Set}o(JM,"newEntries");function jh({entries:n,branches:e},t){for(let{value:r}of n)t.push(r);if(e)for(let r of e.values())jh(r,t)}o(jh,"collect");var XM=100,eS=1e4,Fh=1024,ao=class{static{o(this,"RefusalCache")}#e;#t=new st;#n=new Set;#r=new Map;#i=new Float64Array(Fh);#s=0;constructor(e){this.#e=e}get isEmpty(){return this.#n.size===0}markAsk(){return{askedMs:this.#e.now(),changes:this.#s}}changed(e){this.#s+=1;for(let{key:t}of e)this.#i[Uh(t)]=this.#s}spent({checks:e},{verdicts:t}){if(this.#r.size!==0)for(let r=0;r<e.length;r+=1){let i=e[r],s=this.#r.get(i.key)?.find(a=>oo(a.check,i));!s||i.cost===0||(s.verdict=t[r],s.heardMs=this.#e.now())}}remember({checks:e},t,r){let i=Math.min(XM,nS(e,r.verdicts));if(!(i>0)||this.#o(e,t))return;let s=this.#e.now();this.#a(s);let a=e.map(f=>this.#d(f)),l=a.map(({verdict:f})=>f),d=t.askedMs+i,u={checks:e,reply:r,mark:t,heardMs:s,untilMs:d,spendings:a,spentThen:l},c=this.#t.get(e);this.#t.set(e,u),this.#n.add(u),c&&this.#l(c)}recall({checks:e}){let t=this.#t.get(e);if(!t)return;let r=this.#e.now();if(!(r>=t.untilMs||r<t.heardMs)&&!(!tS(e,t.checks)||this.#o(e,t.mark)))return rS(t,r)}#o(e,{changes:t}){return this.#s>t&&e.some(({key:r})=>this.#i[Uh(r)]>t)}#a(e){for(let t of this.#n){if(e<t.untilMs&&this.#n.size<eS)return;this.#t.delete(t.checks),this.#l(t)}}#l(e){this.#n.delete(e);for(let t of e.spendings){if(t.users-=1,t.users>0)continue;let{key:r}=t.check,i=(this.#r.get(r)??[]).filter(s=>s!==t);i.length>0?this.#r.set(r,i):this.#r.delete(r)}}#d(e){let t=S(this.#r,e.key,()=>[]),r=t.find(i=>oo(i.check,e));return r||(r={check:e,verdict:void 0,heardMs:0,users:0},t.push(r)),r.users+=1,r}};function Uh(n){let e=0;for(let t=0;t<n.length;t+=1)e=Math.imul(e,31)+n.charCodeAt(t)|0;return e&Fh-1}o(Uh,"partOf");function tS(n,e){for(let t=0;t<n.length;t+=1)if(!Ur(n[t],e[t]))return!1;return!0}o(tS,"isSame");function nS(n,e){let t=Number.POSITIVE_INFINITY;for(let r=0;r<n.length;r+=1){let{limit:i,cost:s,margin:a=0,lend:l}=n[r],{allowed:d,retryAfterMs:u}=e[r];if(i.countRejected!==void 0||s===0||a>0||l!==void 0||i.keepForMs!==void 0||T(i))return 0;let{longestWaitMs:c}=U(i);if(d&&i.blockMs!==void 0)return 0;if(d)continue;if(u==="never"&&i.blockMs!==void 0)return 0;let f=u==="never"?Number.POSITIVE_INFINITY:u;t=Math.min(t,i.blockMs===void 0?f:f-c(i))}return t}o(nS,"certainMs");function rS({checks:n,reply:e,heardMs:t,spendings:r,spentThen:i},s){let a=s-t,l=new Array(n.length);for(let d=0;d<n.length;d+=1){let u=e.verdicts[d],c=r[d],m=c.verdict===i[d]?Wh(u,a):iS(n[d],u,c,s);if(!m)return;l[d]=m}return{atMs:e.atMs+a,allowed:!1,verdicts:l}}o(rS,"aged");function iS(n,e,{verdict:t,heardMs:r},i){let s=U(e.limit).kernel.delayMs!==void 0;if(!t||!e.allowed||t.limit!==e.limit||s)return;let{used:a,resetAfterMs:l}=t,d=Math.max(0,e.limit.quota-a+_t(n));if(!(d<Math.max(1,e.cost)||i<r))return Wh({...e,remaining:d,used:a,resetAfterMs:l},i-r)}o(iS,"afterSpending");function Wh(n,e){let{allowed:t,remaining:r,used:i,resetAfterMs:s,retryAfterMs:a,delayMs:l,blocked:d}=n;return z(n,{blocked:d,allowed:t,remaining:r,used:i,resetAfterMs:An(s,e),retryAfterMs:An(a,e),delayMs:Math.max(0,l-e)})}o(Wh,"agedVerdict");var Pe=class{static{o(this,"DeadlineBudget")}untilMs;#e;#t=!1;constructor(e=Number.POSITIVE_INFINITY,t){this.untilMs=x()+e,this.#e=t}get isOver(){return this.#t||x()>=this.untilMs}within(e){return this.untilMs===Number.POSITIVE_INFINITY?e:Sn(Math.max(0,this.untilMs-x()),e,()=>(this.#t=!0,Qr(this.#e)))}};function Qr(n){let e=n?.trouble?.(),t="the store did not answer in time";return new g("SLUICE_STORE",e===void 0?t:`${t}: ${e}`,{storeFailure:"timeout"})}o(Qr,"lateError");var sS=5,oS=250,lo=class{static{o(this,"Breaker")}#e;#t;#n=0;#r;#i;#s=!1;#o;#a=!1;constructor(e,t){this.#e=e,this.#t=t}get isOpen(){return this.#o!==void 0}get state(){return this.isOpen?this.#s?"half-open":"open":"closed"}get cause(){return this.#i}succeeded(){this.#n=0,this.#o&&this.#l()}failed(e,t){$(e)||t!==void 0&&t===this.#r||(this.#r=t??this.#r,this.#n+=1,this.#i=e,!(this.#n<sS||this.isOpen||this.#a)&&(this.#o=hs(oS,()=>this.#u()),this.#d("open")))}stop(){this.#a=!0,this.#l()}#l(){this.#o&&(this.#o(),this.#o=void 0,this.#d("closed"))}#d(e){we("sluice:breaker",this.#t===void 0?{state:e}:{state:e,node:this.#t})}async#u(){if(!this.#s){this.#s=!0,this.#d("half-open");try{await this.#e(),this.succeeded()}catch(e){$(e)?this.succeeded():this.#i=e}finally{this.#s=!1}}}};var uo=1,aS=4,lS=5,Jr=class{static{o(this,"PendingCall")}beganMs=Number.NaN;untilMs=Number.NaN;stalledMs=Number.NaN;isOver=!1;next=void 0;passed=void 0},vd=class extends Jr{static{o(this,"PendingWork")}#e;constructor(e){super(),this.#e=e}giveUp(e){this.#e(e)}},Kn=class{static{o(this,"TimeoutQueue")}afterMs;#e;#t;#n=0;#r=0;#i=0;#s;#o;constructor(e){this.afterMs=e,this.#e=Math.max(e/aS,lS)}begin(e){let t=new vd(e);return this.add(t),t}add(e){let t=x();e.beganMs=t,e.untilMs=t+this.afterMs-uo,e.stalledMs=this.#i,this.#o?this.#o.next=e:this.#a(e,t),this.#o=e}end(e){return e.isOver?!1:(e.isOver=!0,e===this.#s&&this.#l(),!0)}async ended(){let e=this.#o;if(!e)return;let t=e.passed;await new Promise(r=>{e.passed=()=>{t?.(),r()}})}#a(e,t){this.#s=e,this.#t?this.#t.ref():this.#d(this.afterMs,t)}#l(){for(;this.#s?.isOver;){let{next:e,passed:t}=this.#s;this.#s.next=void 0,this.#s=e,t?.()}this.#s||(this.#o=void 0,this.#t?.unref())}#d(e,t){let r=Math.max(1,Math.floor(Math.min(e,this.#e)));this.#n=t+r,this.#t=eh(r,this.#u)}#u=o(e=>{for(this.#c(x()-this.#n);this.#s&&this.#s.untilMs<=e;){let r=this.#s;this.end(r),r.giveUp(this.#i-r.stalledMs>=this.afterMs/2?this.#r:void 0)}if(this.#t=void 0,!this.#s)return;let t=x();this.#d(this.#s.untilMs+uo-t,t)},"#ring");#c(e){e<this.#e||(this.#r+=1,this.#i+=e)}};var Xr=class extends Jr{static{o(this,"ServerCall")}target;trips;log;#e;constructor(e,t,r,i){super(),this.log=e,this.target=t,this.trips=r,this.#e=i}resolve(e,t=x()){this.log.end(this)&&(this.log.succeeded(this,t),this.#e.resolve(e))}reject(e){let t=e instanceof g?e.atMs:void 0;t!==void 0&&this.log.heardTime(t,this,x()),this.log.end(this)&&(t===void 0?this.log.failed(this,e):this.log.refused(this,e),this.#e.reject(e))}giveUp(e){let t=this.log.lateError();this.log.failed(this,t,e),this.#e.reject(t)}},co=class extends Xr{static{o(this,"ServerAsk")}#e;constructor(e,t,r,i,s){super(e,t,r,i),this.#e=s}resolve(e){let t=x();try{this.log.heardTime(e.nowMs??e.atMs,this,t)}catch(r){this.reject(r);return}this.isOver?this.#e?.(e):super.resolve(e,t)}};var dS=1e3,uS=6e4,fo=class{static{o(this,"ServerClock")}#e;#t=0;#n=0;#r;#i;#s=Number.NEGATIVE_INFINITY;constructor(e){this.#e=e}heard(e,t,r=x()){if(e===this.#r)return;this.#r=e;let i=this.#e.now(),s=e-i-1;this.#n=i,t!==void 0&&this.#o(e,i,r-t)&&(this.#i=void 0),this.#i===void 0||i>=this.#t+dS||i<this.#t?(this.#s=this.#i??Number.NEGATIVE_INFINITY,this.#i=s,this.#t=i):this.#i=Math.max(this.#i,s)}#o(e,t,r){if(this.#i===void 0)return!1;let i=e-t+r+2;return Math.max(this.#i,this.#s)>i}now(){let e=this.#e.now();if(!(this.#i===void 0||e>this.#n+uS))return e+Math.max(this.#i,this.#s)}};var cS=br({capacity:1e3,refillRate:1e3}),Vn=class n{static{o(this,"ServerGuard")}#e;#t;#n;#r;#i;#s;#o;#a;#l;#d;constructor({store:e,timeouts:t,node:r,probedKey:i}){this.#e=e,this.#t=Wn(e),this.#n=t.afterMs,this.#r=t,this.#i=i,this.#s=new fo(e.clock),this.#o=new lo(()=>this.#w(),r),this.#a=ks(e.name??"store"),this.#a.addBreaker(this.#o)}static only(e,t,r){let i=new Kn(t),s=0,a=o(()=>(s+=1,Ad(s)),"probedKey"),l=new n({store:e,timeouts:i,node:r,probedKey:a});return e.remote.onServerTime?.((d,u)=>l.#m(d,u)),l}unavailable(){return this.#o.isOpen?this.#u():void 0}#u(){let e=mS(this.#o.cause);return Wt(this.#a.errors,e),e}get isForgettable(){return!this.#o.isOpen&&!this.#l&&this.#s.now()===void 0}ask(e,t,r){let i=r?.budget?.untilMs;if(i!==void 0&&i<=x()){t.reject(this.lateError());return}if(this.#o.isOpen){t.reject(this.#u());return}let s=r?.late??(e.id===void 0?void 0:this.#h(e)),a=new co(this,e.checks[0],this.#a.operations.consume,t,s);this.#r.add(a);let l=this.#s.now();if(l===void 0){this.#f(e,i===void 0?a.untilMs:Math.min(a.untilMs,i),a);return}let d=this.#n-uo;this.#c(e,l,i===void 0?d:Math.min(d,i-x()),a)}adjust(e){return this.#k(()=>this.#e.adjust(e),e.checks[0],this.#a.operations.adjust)}reset(e){return this.#k(()=>this.#e.reset(e),e[0],this.#a.operations.reset)}run(e,t){return this.#k(e,t,void 0)}end(e){return this.#r.end(e)}heardTime(e,{untilMs:t},r){this.#s.heard(e,t-this.#n,r)}succeeded({trips:e,beganMs:t},r){this.#o.succeeded(),e?.add(r-t)}refused({trips:e,beganMs:t},r){$(r)||(Wt(this.#a.errors,r),e?.add(x()-t))}failed(e,t,r){this.#d=e.target,this.#o.failed(t,r),this.refused(e,t)}lateError(){return Qr(this.#e.remote)}ended(){return this.#r.ended()}stop(){this.#o.stop()}#c(e,t,r,i){this.#t.ask(fS(e,Math.max(0,Math.floor(t+r))),i)}async#f(e,t,r){try{await this.#p(e)}catch(a){r.reject(a);return}let i=t-x(),s=this.#s.now();i<=0||s===void 0?r.reject(this.lateError()):this.#c(e,s,i,r)}#m(e,t){let r=x();r-t<=this.#n/2&&this.#s.heard(e,t,r)}#h(e){return t=>{this.#y(e,t)}}async#y({checks:e,peek:t,renew:r,id:i,holdMs:s},{allowed:a,verdicts:l}){if(i===void 0||t||r||s!==void 0||!a)return;let d=e.filter((u,c)=>T(u.limit)&&u.cost>0&&l[c]?.allowed);if(d.length!==0)try{await this.#e.adjust({checks:d.map(u=>({...u,cost:-u.cost})),id:i})}catch(u){$(u)||Me(d,u)}}#p({checks:[e]}){let t=this.#e.remote.placement&&e?[_h(e)]:[];return this.#l??=this.#g({checks:t,peek:!0}).finally(()=>{this.#l=void 0}),this.#l}async#w(){let e=this.#i(this.#d);e&&await this.#g({checks:[_h(e)]})}#g(e){let t=x(),r=o(async()=>{let{atMs:i,nowMs:s=i}=await this.#e.consume(e);this.#s.heard(s,t)},"hear");return Sn(this.#n,r(),()=>this.lateError())}#k(e,t,r){let i=this.unavailable();return i?Promise.reject(i):ie(s=>{let a=new Xr(this,t,r,s);this.#r.add(a);try{Y(e(),a)}catch(l){a.reject(l)}})}};function Ad(n){return{policy:`${n}`,name:"",key:`${n}`}}o(Ad,"keyOfProbe");function _h({policy:n,key:e}){return{policy:n,name:"",key:e,limit:cS,cost:1}}o(_h,"probeOf");function fS(n,e){return Cn(n)?{checks:n.checks,notAfterMs:e}:{...n,notAfterMs:Math.min(e,n.notAfterMs??e)}}o(fS,"withDeadline");function mS(n){let e="the store failed several times in a row, so it is not asked until a probe succeeds";return new g("SLUICE_STORE",e,{cause:n,storeFailure:"unavailable"})}o(mS,"unavailableError");function ei(n,e,t){let r=new Map;for(let i of n)S(r,e(i),()=>[]).push(i);return[...r].map(([i,s])=>({checks:s,decider:t(i,s)}))}o(ei,"groupsOf");function Ne({checks:n}){return n.every(({shadow:e})=>e)}o(Ne,"isShadow");function mo({checks:n}){return n.some(ti)}o(mo,"isLeaky");function ti({limit:n}){return!yt(n)}o(ti,"isLeakyBucket");function ho({checks:n}){return n.some(({limit:e})=>ws(e).to==="level")}o(ho,"isLevel");var hS=["outside-calendar-bounds","applied","given-back","repeated","expired"];async function ni(n,e){return yS(n.checks,e,await Promise.all(e.map(t=>pS(n,t,e))))}o(ni,"adjustInGroups");async function pS(n,e,t){let{checks:r,decider:i}=e;try{return await i.adjust({...n,checks:r})}catch(s){if(!Ne(e)||t.every(Ne))throw s;return Me(r,s),{atMs:0,result:"expired",verdicts:r.map(a=>tt({...a,cost:1}))}}}o(pS,"adjusted");function yS(n,e,t){let r=t.find(({result:s})=>s==="outside-calendar-bounds");if(r)return r;let i=new Map;return e.forEach((s,a)=>{s.checks.forEach((l,d)=>{i.set(l,t[a]?.verdicts[d])})}),{atMs:Math.max(0,...t.map(({atMs:s})=>s)),result:hS.find(s=>t.some(a=>a.result===s))??"expired",verdicts:n.map(s=>i.get(s))}}o(yS,"mergedChange");function Kh(n,e){for(let[t,{lend:r,name:i}]of n.entries()){if(r===void 0)continue;let s=n.slice(Math.max(0,t-2),t+1);if(e.some(l=>s.every(d=>l.checks.includes(d))))continue;let a=`the limit ${JSON.stringify(i)} has a guarantee, and its keys are counted in different places: count each policy in one place, with hashTag: 'policy' of a RedisStore`;throw new g("SLUICE_UNSUPPORTED",a)}}o(Kh,"checkGuarantees");function Vh(n){let e=n.filter(i=>!Ne(i)),[t,r]=e.filter(mo);if(t&&r)throw gS([t,r]);for(let{decider:i,checks:s}of e){let a=i.unavailable?.(s);if(a)throw a}}o(Vh,"checkDecidable");function gS(n){let t=`the leaky buckets ${n.flatMap(({checks:r})=>r.filter(ti).map(({name:i})=>JSON.stringify(i))).join(" and ")} of one request are counted in different places, and a leaky bucket cannot give units back if another limit refuses: give them the same keyGenerator, or count each policy in one place, with hashTag: 'policy' of a RedisStore`;return new g("SLUICE_UNSUPPORTED",t)}o(gS,"inSeveralPlaces");function $n({timeoutMs:n}){return n===void 0?{}:{timeoutMs:n}}o($n,"askTimeoutOf");async function Gn(n,{checks:e,decider:t},r){return t.consume({...n,checks:e},r)}o(Gn,"askGroup");function ri(n){return n.then(e=>({reply:e}),e=>({error:e}))}o(ri,"outcomeOf");function Cd({ask:n,budget:e},t){return ri(e.within(Gn({...n,peek:!0},t,e)))}o(Cd,"peekOne");function qn(n,e){return Promise.all(e.map(t=>Cd(n,t)))}o(qn,"peekAll");function St(n){return"reply"in n&&!n.reply.allowed}o(St,"isRefusal");function Hn({nowMs:n}){return n!==void 0}o(Hn,"isRepetition");function po({ask:{checks:n},groups:e},t){let r=t.find(({outsideCalendarBounds:c})=>c);if(r)return r;let i=new Map,s=new Map;e.forEach((c,f)=>{let m=t[f];c.checks.forEach((h,y)=>{i.set(h,m.verdicts[y]),s.set(h,Od(m,y))})});let a=Math.max(...t.map(c=>c.atMs)),l=n.map(c=>s.get(c)),d=t.find(c=>c.attempt!==void 0)?.attempt,u={atMs:a,...d!==void 0&&{attempt:d},...t.some(Hn)&&{nowMs:Math.max(...t.map(({nowMs:c,atMs:f})=>c??f))},allowed:t.every(({allowed:c})=>c),verdicts:n.map(c=>i.get(c))};return l.every(c=>c===a)?u:{...u,timesMs:l}}o(po,"merged");function yo(n,e){let t=e.map((r,i)=>"reply"in r?r.reply:Ed(n.groups[i],r.error));return po(n,t)}o(yo,"mergedOutcomes");function Ed({checks:n},e){return Me(n,e),{atMs:0,allowed:!0,verdicts:n.map(tt),timesMs:n.map(()=>{})}}o(Ed,"inPlaceOf");function Od({atMs:n,timesMs:e},t){return e?e[t]:n}o(Od,"timeOf");async function go({ask:n,groups:e,budget:t},r){let i=r.map((s,a)=>Gh(e[a],n,s));await t.within(Promise.all(i)).catch(()=>{})}o(go,"giveBack");function $h(n,e,t){t.then(r=>r.allowed?Gh(e,n,r):void 0).catch(()=>{})}o($h,"giveBackLater");async function Gh({checks:n,decider:e},t,r){let{verdicts:i,atMs:s}=r,a=n.flatMap((y,k)=>{let C=Od(r,k);return y.cost>0&&i[k]?.allowed&&C!==void 0?[{...y,cost:-y.cost,atMs:C}]:[]}),l=ee(t),d=a.filter(({limit:y})=>l||T(y)),u=a.filter(y=>!d.includes(y)),c=ue({...t,...r.attempt!==void 0&&{attempt:r.attempt}}),f=l?{keptUntilMs:s+t.holdMs}:{},m=s+(l?t.holdMs:0)+ah,h={atMs:s,unspent:!0,notAfterMs:m,...$n(t)};await Promise.all([d.length>0&&c!==void 0&&e.adjust({...h,checks:d,id:c,...f}),u.length>0&&e.adjust({...h,checks:u,id:_()})])}o(Gh,"giveBackTo");function Hh(n){return n.flatMap(kS).sort((e,t)=>qh(e)-qh(t))}o(Hh,"inTurn");function qh(n){return zh(n)?1:Ne(n)?5:mo(n)?4:ho(n)?3:2}o(qh,"turnOf");function zh({checks:n}){return n.some(({limit:e})=>T(e))}o(zh,"holdsSlots");function kS(n){let{checks:e,decider:t}=n,r=zh(n),i=e.filter(a=>ti(a)&&(r||a.shadow)),s=e.filter(a=>!i.includes(a));return i.length===0||s.length===0?[n]:[{checks:s,decider:t},{checks:i,decider:wS(t)}]}o(kS,"withLeakyApart");function wS(n){let e=o(({id:t})=>t===void 0?{}:{id:`${t}:apart`},"renamed");return{consume:o((t,r)=>n.consume({...t,...e(t)},r),"consume"),adjust:o(t=>n.adjust({...t,...e(t)}),"adjust")}}o(wS,"byOtherId");async function Yh(n,e){let{groups:t}=n,r=t.slice(e+1).filter(l=>!Ne(l));if(r.length===0)return n;let i=await qn(n,r),s=r.find((l,d)=>St(i[d]));if(!s)return n;let a=t.slice(e).filter(l=>l!==s);return{...n,groups:[...t.slice(0,e),s,...a]}}o(Yh,"refusingNext");function Zh(n,{attempt:e}){return e===void 0?n:{...n,attempt:e,onlyAttempt:!0}}o(Zh,"inSameAttempt");function xd(n,e){return Promise.all(e.map(async t=>{let r=Jh(t)?await bS(n,t):void 0;return r&&!ee(n.ask)?r:Cd(n,t)}))}o(xd,"recordRefusal");async function Qh(n,e,t){if(t.some(s=>St(s)&&Hn(s.reply))||!e.some(Jh))return t;let i=await xd(n,e);return i.some(St)?i:t}o(Qh,"recordSeenRefusal");function bS({ask:n,budget:e},t){let{holdMs:r,...i}=n;return ri(e.within(Gn({...i,peek:"refused"},t,e)))}o(bS,"recordIn");function Jh({checks:n}){return n.some(({limit:e})=>e.countRejected!==void 0||e.blockMs!==void 0)}o(Jh,"hasPenalties");async function ii(n,e,t=new Pe){if(n.atLeast!==void 0)throw new g("SLUICE_UNSUPPORTED","atLeast needs checks that are decided in one step");Kh(n.checks,e);let r=Hh(e),i={ask:n,groups:r,budget:t};return n.renew?po(i,await Promise.all(r.map(s=>Gn(n,s,t)))):(Vh(r),n.peek?AS(i):MS(i))}o(ii,"consumeInGroups");async function MS(n){let{ask:e,budget:t}=n,r=n.groups.findIndex(ho),i=[],s=n,a=e;for(let l=0;l<s.groups.length;l+=1){l===r&&(s=await Yh(s,l));let d=s.groups[l],u=Gn(a,d,t),c=await ri(t.within(u));if("error"in c){if(ee(e)||$h(e,d,u),!Ne(d)||$(c.error))return vS(s,i,c.error);i.push(Ed(d,c.error))}else if(c.reply.allowed)i.push(c.reply),a=Zh(e,c.reply);else return SS(s,i,c.reply)}return po(s,i)}o(MS,"consumed");async function SS(n,e,t){if(t.outsideCalendarBounds)return ee(n.ask)||await go(n,e),t;await go(n,e);let r=e.length,i=n.groups.toSpliced(r,1),s=await(Hn(t)?qn:xd)(n,i);return{...yo(n,s.toSpliced(r,0,{reply:t})),allowed:!1}}o(SS,"refused");async function vS(n,e,t){if(ee(n.ask)||await go(n,e),$(t))throw t;let r=e.length,i=n.groups.toSpliced(r,1),s=await qn(n,i);if(!s.some(St))throw t;let a=await Qh(n,i,s),l=yo(n,a.toSpliced(r,0,{error:t}));if(l.outsideCalendarBounds)throw t;return l}o(vS,"failed");async function AS(n){let e=await qn(n,n.groups),t=e.some(St),r=e.find((i,s)=>"error"in i&&!Ne(n.groups[s]));if(r&&"error"in r&&!t)throw r.error;return yo(n,e)}o(AS,"peeked");var zn=class{static{o(this,"InFlight")}#e=new Set;add(e){this.#e.add(e);let t=o(()=>{this.#e.delete(e)},"end");return e.then(t,t),e}async ended(){await Promise.allSettled(this.#e)}};var CS=1e3,Rd="",ko=class{static{o(this,"ServerGuards")}#e;#t;#n;#r;#i;#s=new Map;#o=new zn;#a=0;#l=!1;constructor(e,t,r){this.#e=e,this.#t=e.remote.placement,this.#n=new Kn(t),this.#r=r,this.#i=this.#m(Rd)}ask(e,t,r){let{checks:i}=e;if(this.#d(i)){this.#c(i[0]).ask(e,t,r);return}let s=r?.budget??new Pe(this.#n.afterMs,this.#e.remote);Y(this.#o.add(ii(e,this.#u(i),s)),t)}adjust(e){let{checks:t}=e;return this.#d(t)?this.#c(t[0]).adjust(e):ni(e,this.#u(t))}async reset(e){let t=new Map;for(let i of e)S(t,this.#c(i),()=>[]).push(i);return(await Promise.all([...t].map(([i,s])=>i.reset(s)))).reduce((i,s)=>i+s,0)}run(e,t){return this.#c(t).run(e,t)}unavailable(e){for(let t of e){let r=t.shadow?void 0:this.#c(t).unavailable();if(r)return r}}async ended(){await Promise.all([this.#o.ended(),this.#n.ended()])}stop(){this.#l=!0,this.#i.stop();for(let e of this.#s.values())e.stop()}#d(e){if(e.length<2)return!0;let t=this.#t.groupOf(e[0]);for(let r=1;r<e.length;r+=1)if(this.#t.groupOf(e[r])!==t)return!1;return!0}#u(e){return ei(e,this.#t.groupOf,(t,[r])=>{let i=this.#c(r);return{consume:o((s,a)=>ie(l=>i.ask(s,l,{budget:a})),"consume"),adjust:o(s=>i.adjust(s),"adjust"),unavailable:o(()=>i.unavailable(),"unavailable")}})}#c(e){let t=e&&this.#t.nodeOf(e);return t===void 0?this.#i:this.#s.get(t)??this.#f(t)}#f(e){for(let[r,i]of this.#s)i.isForgettable&&this.#s.delete(r);let t=this.#m(e);return this.#l&&t.stop(),this.#s.set(e,t),t}#m(e){let[t,r]=[this.#e,this.#n],i=[this.#r,e===Rd?void 0:e].filter(s=>s!==void 0);return new Vn({store:t,timeouts:r,node:i.length>0?i.join("/"):void 0,probedKey:o(s=>this.#h(e,s),"probedKey")})}#h(e,t){this.#t.refresh?.();for(let r=0;r<CS;r+=1){this.#a+=1;let i=Ad(this.#a);if(e===Rd||this.#t.nodeOf(i)===e)return i}if(t&&this.#t.nodeOf(t)===e)return t;this.#s.delete(e)}};var wo=class n{static{o(this,"RemoteStore")}async=!0;selfProtection=!0;clock;supports;keyspaces;remote;blocks;#e;#t;#n={known:o(e=>{let t=this.#o.isEmpty||!this.#l(e)?void 0:this.#o.recall(e);if(t||this.#r)return t;let r=this.#t.known(e);return r?.allowed&&!e.peek&&this.#o.spent(e,r),r},"known"),ask:o((e,t)=>{this.#c(e,e.peek?t:new Td(this.#o,e,this.#l,t))},"ask")};#r;#i=new Map;#s;#o;#a=!1;constructor(e,t){if(this.#e=e,this.#t=Wn(e),this.#r=Xh(e,e.remote.timeoutMs,t),this.#s=t,this.#o=new ao(e.clock),this.clock=e.clock,this.supports=e.supports,this.keyspaces=te(e),this.remote=e.remote,e.blocks){let r=o((i,s)=>this.#r?this.#r.run(i,s):i(),"run");this.blocks=new so(e.blocks,r,(i,s)=>this.#m(i,s))}for(let r of this.keyspaces)r.whenClosed(()=>this.#d())}accept(e){this.#e.accept?.(e)}consume(e,t){return t?.isFresh?ie(r=>this.#c(e,r,t)):_n(this.#n,e)}directConsume(){return this.consume===n.prototype.consume?this.#n:void 0}#l=o(e=>!this.#a&&e.checks.length>0&&Cn(e),"#isRepeatable");adjust(e){return this.#m(e.checks,(this.#u(e.timeoutMs)??this.#e).adjust(e))}reset(e){return this.#m(e,(this.#r??this.#e).reset(e))}unavailable({checks:e,timeoutMs:t}){return this.#u(t)?.unavailable(e)}async close(){await Promise.all([this.#r,...this.#i.values()].map(e=>e?.ended())),this.#d(),await this.#e.close()}#d(){this.#a=!0;for(let e of[this.#r,...this.#i.values()])e?.stop()}#u(e){if(e===void 0||e===this.remote.timeoutMs||!this.#r)return this.#r;let t=this.#i.get(e);if(t||this.#a)return t??this.#r;let r=Xh(this.#e,e,this.#s);return this.#i.set(e,r),r}#c(e,t,r){let i=this.#u(e.timeoutMs);i?i.ask(e,t,r):r?this.#f(e,t,r):this.#t.ask(e,t)}#f(e,t,r){let i=this.#e;Y(i.consume(e,r),t)}async#m(e,t){this.#o.changed(e);try{return await t}finally{this.#o.changed(e)}}},Td=class{static{o(this,"NotingReceiver")}#e;#t;#n;#r;#i;constructor(e,t,r,i){this.#e=e,this.#t=t,this.#n=r,this.#r=i,this.#i=e.markAsk()}resolve(e){e.allowed?this.#e.spent(this.#t,e):!e.outsideCalendarBounds&&this.#n(this.#t)&&this.#e.remember(this.#t,this.#i,e),this.#r.resolve(e)}reject(e){this.#r.reject(e)}};function Xh(n,e,t){if(!n.selfProtection)return ES(n)?new ko(n,e,t):Vn.only(n,e,t)}o(Xh,"newGuard");function ES(n){return n.remote.placement!==void 0}o(ES,"isPlaced");var OS=new WeakMap;function Yn(n,e){return!xS(n)||n instanceof wo?n:(Si(n.remote.timeoutMs,"store.remote.timeoutMs"),S(OS,n,()=>new wo(n,e)))}o(Yn,"remoteStore");function xS(n){return n.async&&n.remote!==void 0}o(xS,"isOverNetwork");var ep=256,RS=256,TS=1e3;function tp(n){return{block(e,t,r={}){let i=LS(n.current.targets(e),e,t,r);return gt(()=>bo(n).block(i))},unblock(e){let t=n.current.targets(e);return gt(()=>bo(n).unblock(t))},blocked(e={}){E(e,["limit","cursor"]);let t=v(e.limit??100,"limit",1,TS),r=e.cursor===void 0?void 0:DS(e.cursor),i={limit:t+1,...r&&{after:r}},s=gt(()=>bo(n).list(n.policy.name,i));return b(s,a=>PS(a,t))},inspect(e,t={}){E(t,["verdicts"]);let r=j(t.verdicts??!0,"verdicts",[!0,!1]),i=n.current.targets(e),s=gt(()=>bo(n).find(i));return b(s,a=>{let l=r?n.current.peekAt(e):{verdicts:[]};return b(l,({verdicts:d})=>a?{verdicts:d,block:a}:{verdicts:d})})}}}o(tp,"blockVerbs");function bo({store:n,policy:e}){if(n.blocks)return n.blocks;let t=`the store of the policy ${JSON.stringify(e.name)} cannot block keys by hand: it has no property blocks`;throw new g("SLUICE_UNSUPPORTED",t)}o(bo,"blocksOf");function LS(n,e,t,r){E(r,["reason","reveal"]);let{reason:i,reveal:s}=r,a=t==="forever"?"forever":R(t,"time");if(i!==void 0&&(typeof i!="string"||i.length>ep))throw p("reason",`must be text of at most ${ep} characters`,i);let l=j(s??!1,"reveal",[!0,!1]);return{targets:n,forMs:a,...i!==void 0&&{reason:i},...l&&{text:IS(e)}}}o(LS,"orderOf");function IS(n){return(typeof n=="string"?n:JSON.stringify(n)).toWellFormed().slice(0,RS)}o(IS,"textOf");function PS(n,e){let t=n.slice(0,e),r=t.at(-1),i={entries:t.map(({hash:s,text:a,...l})=>({key:a??s,...l}))};return r&&n.length>e?{...i,cursor:NS(r)}:i}o(PS,"pageOf");function NS({untilMs:n,hash:e,by:t}){return Buffer.from(JSON.stringify([n,e,t])).toString("base64url")}o(NS,"cursorOf");function DS(n){let[e,t,r]=typeof n=="string"?BS(n):[];if((e==="forever"||Number.isSafeInteger(e))&&typeof t=="string"&&(r==="limit"||r==="admin"))return{untilMs:e,hash:t,by:r};throw p("cursor","must be the cursor of a result of blocked()",n)}o(DS,"placeIn");function BS(n){try{let e=JSON.parse(Buffer.from(n,"base64url").toString());return Array.isArray(e)?e:[]}catch{return[]}}o(BS,"listIn");var{imul:si}=Math,np=o(n=>{let e=si(n,3432918353);return si(e<<15|e>>>17,461845907)},"scramble");function Ld(n,e=0){let{length:t}=n,r=e;for(let i=1;i<t;i+=2)r^=np(n.charCodeAt(i-1)|n.charCodeAt(i)<<16),r=si(r<<13|r>>>19,5)+3864292196|0;return t%2===1&&(r^=np(n.charCodeAt(t-1))),r^=2*t,r=si(r^r>>>16,2246822507),r=si(r^r>>>13,3266489909),(r^r>>>16)>>>0}o(Ld,"murmurHash");var Id=["critical","normal","low"];function rp(n,e,t){let r=jS(n.limit,e,t),i=oi(n.limit,r);return i===0?n:{...n,margin:i,marginRatio:r}}o(rp,"withMargin");function ip(n,e){if(n.margin===void 0)return{};let t="marginRatio"in n?n.marginRatio:n.margin/n.limit.quota;return{margin:oi(e,t)}}o(ip,"shareOfMargin");function oi({quota:n},e){return Math.max(-n,Math.min(n,Math.floor(Math.round(n*e*1e6)/1e6)))}o(oi,"marginOf");function jS(n,{tolerance:e,elastic:t,headroom:r},i){if(n.algorithm==="unlimited")return 0;let s=r?.[i]??0;return s>0?0-s:t===void 0?e:US(t.while)&&n.quota>0?t.upTo/n.quota-1:0}o(jS,"ratioOf");var Mo=new WeakSet;function sp({name:n,priority:e},t){if(e===void 0)return"normal";let r=o(i=>{let s=Id.find(a=>a===i);if(s===void 0)throw new TypeError(`a priority must be one of ${Id.join(", ")}`);return s},"known");return be(()=>b(e(...t),r),i=>(Mo.has(e)||(Mo.add(e),Fl(`priority of the policy ${JSON.stringify(n)}`,"so the request has the lowest",i)),"low"))}o(sp,"priorityOf");function US(n){try{return n.isCalm===!0}catch(e){return Mo.has(n)||(Mo.add(n),Fl("the signal of an elastic limit","so the load counts as not calm",e)),!1}}o(US,"isCalm");function op(n){return{...n,marked:!0}}o(op,"marked");function ap({items:n}){if(!n.every(({enforce:e})=>typeof e=="number"))return(e,t)=>e.map((r,i)=>r.shadow&&"marked"in t[i]?{...r,marked:!0}:r)}o(ap,"markWriter");var ai=class{static{o(this,"CheckBuilder")}#e;#t;#n;#r;#i;#s;constructor(e,t,r){this.#e=e,this.#t=t,this.#n=r,this.#r=Ld(e.name),this.#i=e.items.some(({margins:i})=>i!==void 0),this.#s=e.items.some(({guarantee:i})=>i!==void 0)}checks(e,t){let{skip:r}=this.#e;return t!==void 0&&vt(t),r?this.#o(r,e,t):this.#a(e,t)}#o(e,t,r){return b(e(...t),i=>i?void 0:this.#a(t,r))}checksUnder(e,t,r){r!==void 0&&vt(r);let[i]=this.#e.items,s=this.#m(i,e,t,{cost:r,defaultKey:void 0});return this.#l(b(s,a=>[a]),t)}key(e){return this.#w(this.#e.items[0],e,void 0)}#a(e,t){return this.#l(Os(this.#e.items,this.#f,e,{cost:t,defaultKey:void 0}),e)}#l(e,t){return this.#i||this.#s?this.#d(e,t):e}#d(e,t){let r=this.#i?b(e,i=>this.#c(i,t)):e;return this.#s?b(r,i=>Os(this.#e.items,this.#u,t,i)):r}#u=o((e,t,r)=>{let{guarantee:i}=e,s=r[this.#e.items.indexOf(e)];return i?b(lp(i,t),a=>Zn(a)?Jl(s,i,void 0):b(this.#t.keyFor(a,e,t),l=>b(i.part(...t),d=>Jl(s,i,Re(l),d)))):s},"#guaranteed");#c(e,t){let{items:r}=this.#e;return b(sp(this.#e,t),i=>e.map((s,a)=>{let l=r[a]?.margins;return l?rp(s,l,i):s}))}#f=o((e,t,r)=>{let{limit:i}=e;return this.#m(e,typeof i=="function"?i(...t):i,t,r)},"#check");#m(e,t,r,i){if(B(t))return this.#h(e,t,r,i);let s=this.#w(e,r,i),a=WS(e,i.cost);return B(s)?this.#y(e,t,s,r,a):typeof a=="function"?this.#p(e,t,s,r,a):this.#v(e,t,s,a)}async#h(e,t,r,i){return this.#m(e,await t,r,i)}async#y(e,t,r,i,s){let a=await r;return typeof s=="function"?this.#p(e,t,a,i,s):this.#v(e,t,a,s)}#p(e,t,r,i,s){return b(s(...i),a=>this.#v(e,t,r,a))}#w(e,t,r){let{partition:i}=e,s=this.#k(e,t,r);return i===void 0?s:this.#g(s,i,t)}#g(e,t,r){return b(e,i=>b(t(...r),s=>Zn(s)?i:Km(i,s)))}#k(e,t,r){let{keyGenerators:i,isCompoundKey:s}=e;if(i===void 0)return this.#b(e,t,r);let a=s?lp({keyGenerators:i,isCompoundKey:s},t):i[0]?.(...t);return B(a)?this.#M(a,e,t):this.#S(a,e,t)}#b(e,t,r){let i=r?.defaultKey??this.#t.defaultKey(...t);return i===void 0?this.#S(void 0,e,t):(r&&(r.defaultKey=i),i)}async#M(e,t,r){return this.#S(await e,t,r)}#S(e,t,r){return b(this.#t.keyFor(e,t,r),Re)}#v({name:e,enforce:t},r,i,s){let{name:a}=this.#e,l=r.calendar&&this.#n.now(r.calendar),d=typeof t=="function"?t():t,u=d!==1&&(d===0||!KS(d,this.#r,i)),c=T(r)?1:vt(s),f=FS({policy:a,name:e,key:i},r,c,u,l);return d==="mark"?op(f):f}};function FS({policy:n,name:e,key:t},r,i,s,a){return a===void 0?s?{policy:n,name:e,key:t,limit:r,cost:i,shadow:!0}:{policy:n,name:e,key:t,limit:r,cost:i}:s?{policy:n,name:e,key:t,limit:r,cost:i,shadow:!0,calendarBoundsMs:a}:{policy:n,name:e,key:t,limit:r,cost:i,calendarBoundsMs:a}}o(FS,"newCheck");function WS({cost:n,ownsCost:e},t){return t===void 0||e?n:t}o(WS,"costFor");function lp({keyGenerators:n,isCompoundKey:e},t){return b(Os(n,_S,t,void 0),r=>e?r.some(Zn)?void 0:r:r[0])}o(lp,"keyBy");function _S(n,e){return n(...e)}o(_S,"partOf");function Zn(n){return n==null}o(Zn,"isMissing");function vt(n){if(Number.isSafeInteger(n)&&n>=0)return n+0;throw new g("SLUICE_COST",`a cost must be a safe integer of at least 0, got ${G(n)}`,{received:n})}o(vt,"checkCost");function KS(n,e,t){return n!=="mark"&&Ld(t,e)<n*2**32}o(KS,"isEnforced");var dp={defaultKey:Re,keyFor:o(n=>n,"keyFor")};function up({name:n,items:e,onStoreError:t,timeoutMs:r}){return{name:n,items:e.map(VS),skip:void 0,priority:void 0,onStoreError:t,timeoutMs:r}}o(up,"policyByKey");function VS(n){let e=Pd(n.guarantee?.part??n.limit,n.name),t=Pd(n.cost,n.name),r=Pd(n.partition,n.name);return{...n,limit:e,cost:t,partition:r,keyGenerators:void 0,isCompoundKey:!1,guarantee:void 0}}o(VS,"itemByKey");function Pd(n,e){return typeof n!="function"?n:()=>{let t=`the limit ${JSON.stringify(e)} depends on the request: pass the request instead of a key`;throw new g("SLUICE_UNSUPPORTED",t)}}o(Pd,"withoutRequest");var So=class{static{o(this,"RenewalQueue")}#e;#t;get first(){return this.#e}add(e){e.before=this.#t,e.after=void 0,this.#t?this.#t.after=e:this.#e=e,this.#t=e}remove(e){e.before?e.before.after=e.after:this.#e=e.after,e.after?e.after.before=e.before:this.#t=e.before}};var $S=1/64,GS=256,cp=1024,qS=64,HS={renew:!0},Nd=class{static{o(this,"LeaseRenewer")}#e;#t=new Map;#n=new Map;#r=0;#i=!1;#s;#o=Number.POSITIVE_INFINITY;#a=new Set;#l=0;constructor(e){this.#e=e,this.#s=ms(e.clock,()=>this.#f())}hold(e,t,r=HS){let i=this.#t.get(e);i&&this.#d(i);let s=Math.floor(Math.min(...t.map(({limit:u})=>u.leaseMs))/3),a=this.#e.clock.now()+s,l=t.reduce((u,{limit:c})=>u+Math.floor(c.quota/qS),1),d={id:e,checks:t,renewing:r,everyMs:s,weight:l,renewAtMs:a,renewal:void 0,before:void 0,after:void 0};return this.#t.set(e,d),S(this.#n,s,()=>new So).add(d),this.#u(a),d}release(e){let t=this.#t.get(e);if(t)return this.#d(t),this.#t.size===0&&this.#c(),b(t.renewal,()=>{this.#l+=1;for(let r of this.#a)r(t.checks)})}handOver(e){let t=this.#t.get(e);t&&(this.#d(t),this.#t.size===0&&this.#c())}changeLimits(e,t){for(let r of[...this.#t.values()]){let i=r.checks.map(s=>s.policy===e?t(s):s);i.every((s,a)=>s===r.checks[a])||(this.#d(r),this.#p(this.hold(r.id,i,r.renewing)))}}get releases(){return this.#l}subscribe(e){this.#a.add(e)}unsubscribe(e){this.#a.delete(e)}#d(e){this.#t.delete(e.id);let t=this.#n.get(e.everyMs);t.remove(e),t.first||this.#n.delete(e.everyMs)}#u(e){this.#o<=e||(this.#o=e,this.#s.begin(Math.max(0,e-this.#e.clock.now())))}#c(){this.#o=Number.POSITIVE_INFINITY,this.#s.end()}#f(){this.#o=Number.POSITIVE_INFINITY,this.#h()}#m(){let e=Number.POSITIVE_INFINITY;for(let{first:t}of this.#n.values())e=Math.min(e,t.renewAtMs);return e}#h(){let e=this.#e.clock.now();this.#i=!1;let t=this.#e.async?cp-this.#r:GS;for(let[,r]of[...this.#n].sort(([i],[s])=>i-s))for(let i=r.first;i&&zS(i,e);i=r.first){if(t<=0){this.#y(e);return}t-=i.weight,r.remove(i),i.renewAtMs=e+i.everyMs,r.add(i),this.#p(i)}this.#t.size>0&&this.#u(this.#m())}#y(e){this.#e.async?this.#i=!0:this.#u(e+1)}#p(e){let{id:t,checks:r,renewing:i,weight:s}=e,a,l=o(()=>{this.#r-=s,e.renewal===a&&(e.renewal=void 0),this.#i&&this.#r<=cp/2&&this.#h()},"ended");this.#r+=s;let d=o(c=>this.#e.consume({checks:r,id:t,...i,renew:c}),"ask");a=be(o(()=>b(d("held"),({allowed:c,verdicts:f})=>{let m=i.renew==="held",y=f.some(k=>!k.allowed)&&!m&&this.#t.get(t)===e?d(!0):void 0;return b(y,()=>{l(),m&&!c&&this.handOver(t)})}),"attempt"),c=>{l(),$(c)?this.release(t):Me(r,c)}),B(a)&&(e.renewal=a)}};function zS({renewAtMs:n,everyMs:e},t){let r=n-t;return r<=e*$S||r>e}o(zS,"isDue");var YS=new WeakMap;function ze(n){return S(YS,n,()=>new Nd(n))}o(ze,"leaseRenewerOf");var At=class{static{o(this,"DueHeap")}#e=[];get first(){return this.#e[0]}get size(){return this.#e.length}add(e){this.#e.push(e),this.#n(e,this.#e.length-1)}remove(e){let{place:t}=e;if(t<0)return;e.place=-1;let r=this.#e.pop();r!==e&&this.#t(r,t)}moved(e){this.#t(e,e.place)}clear(){for(let e of this.#e)e.place=-1;this.#e.length=0}#t(e,t){this.#n(e,t),this.#r(e,e.place)}#n(e,t){let r=t;for(;r>0;){let i=r-1>>>1,s=this.#e[i];if(s.dueMs<=e.dueMs)break;this.#i(s,r),r=i}this.#i(e,r)}#r(e,t){let r=t;for(;;){let i=this.#e[2*r+1],s=this.#e[2*r+2],a=i&&s&&s.dueMs<i.dueMs?s:i;if(!a||a.dueMs>=e.dueMs)break;let l=a.place;this.#i(a,r),r=l}this.#i(e,r)}#i(e,t){this.#e[t]=e,e.place=t}};var fp=256,Dd=class{static{o(this,"ExpiryTimer")}#e;#t=new At;#n=0;#r=!1;#i=!1;#s;constructor(e){this.#e=e;for(let t of te(e))t.whenClosed(()=>this.#u())}add(e,t){let r={dueMs:this.#e.clock.now()+e,afterMs:e,end:t,place:-1};return this.#i||(this.#t.add(r),this.#o(r.dueMs)),r}remove(e){this.#t.remove(e)}#o(e){if(this.#s&&this.#s.untilMs<=e)return;this.#s?.wake.abort();let t={untilMs:e,wake:new AbortController};this.#s=t;let{clock:r}=this.#e,i=o(()=>{this.#s===t&&(this.#s=void 0,this.#a())},"woken"),s=o(()=>{this.#s===t&&(this.#s=void 0)},"failed");r.sleep(Math.max(0,e-r.now()),t.wake.signal,{unref:!0}).then(i,s)}#a(){this.#r=!1;let e=this.#e.clock.now();for(let t=fp-this.#n;;t-=1){let r=this.#t.first;if(!r)return;let i=r.dueMs-e;if(i>r.afterMs)r.dueMs=e+r.afterMs,this.#t.moved(r);else if(i>0){this.#o(r.dueMs);return}else if(t<=0){this.#l();return}else this.#t.remove(r),this.#d(r)}}#l(){this.#r=!0,this.#n===0&&setImmediate(()=>this.#a()).unref()}#d({end:e}){let t=be(e,()=>{});B(t)&&(this.#n+=1,b(t,()=>{this.#n-=1,this.#r&&this.#n<=fp/2&&this.#a()}))}#u(){this.#i=!0,this.#t.clear(),this.#s?.wake.abort(),this.#s=void 0}},ZS=new WeakMap;function Bd(n){return S(ZS,n,()=>new Dd(n))}o(Bd,"expiryTimerOf");function vo(n,e){return n===void 0?({cost:t})=>t:typeof n=="object"&&n!==null?JS(n,e):QS(n,e)}o(vo,"settledAmounts");function QS(n,{ownsCost:e,path:t="settle"}){vt(n);let r=[...e.keys()];if(r.every(i=>e.get(i)))throw p(t,`must be a record of amounts by limit name, because every limit has its own cost: { ${r[0]}: amount }`,n);return i=>e.get(Xl(i))?i.cost:n}o(QS,"oneAmount");function JS(n,{policy:e,ownsCost:t,path:r="settle"}){if(Symbol.iterator in n)throw p(r,"must be an amount, or a record of amounts by limit name",n);let i=new Map(Object.entries(n));for(let[s,a]of i){if(!t.has(s)){let l=`is not a limit of the policy ${JSON.stringify(e)}: its limits are ${[...t.keys()].join(", ")}`;throw p(`${r}.${s}`,l,a)}vt(a)}return s=>i.get(Xl(s))??s.cost}o(JS,"amountByName");function Ao(n,e){for(let t of e){let{cost:r,limit:i,name:s}=t;if(ls(t)||T(i)||r<0&&!yt(i))continue;let{numbers:a}=n.limitSoFar(s),l=r<0?mh:Gt;a[l]=a[l]+Math.abs(r)}}o(Ao,"countCorrections");var Co=class{static{o(this,"GrantedReservation")}policy;allowed;verdicts;tightest;retryAfterMs;delayMs;shadowed;source;#e;#t;#n;#r;constructor(e,t,r){this.policy=e.policy,this.allowed=e.allowed,this.verdicts=e.verdicts,this.tightest=e.tightest,this.retryAfterMs=e.retryAfterMs,this.delayMs=e.delayMs,this.shadowed=e.shadowed,this.source=e.source,e.exceeded&&(this.exceeded=!0),this.#e=t,this.#t=r}get#i(){let e=this.#t;return e&&"held"in e&&(this.#t=e.held(this.tightest)),this.#t}set#i(e){this.#t=e}get leaseMs(){let e=this.#i;if(e?.id!==void 0)return Math.min(...e.checks.filter(V).map(({limit:t})=>t.leaseMs))}get holdsSlot(){return this.#t?.id!==void 0}get keys(){return this.#i?.checks.map(({key:e})=>e)??[]}ownsCost(e){return this.#e.ownsCost.get(e)===!0}share(e){let t=this.#i;if(!t||t.checks.length===0||this.#n==="given back")return;t.id!==void 0&&!t.sharing?.isHandedOver&&this.#e.handOver(t);let r={id:yp(rd(t.id??_(),e)),untilMs:t.atMs+e,...t.sharing,...t.id!==void 0&&{isHandedOver:!0}},i={...t,sharing:r};return this.#i=i,i}settle(e){return this.#a(()=>{let t=vo(e,{policy:this.policy,ownsCost:this.#e.ownsCost});return this.#s(),this.#d((r,i)=>V(r)?0:this.#e.chargeOf(i,r,t(r)))})}cancel(){return this.#a(()=>(this.#s(),this.#d(()=>0)))}release(){return this.#a(()=>{let[e,t]=this.#l();if(!e)return;t||this.#s(),this.#i=e;let r=this.#u(()=>0);return this.#i=t,r})}cancelUnits(){return this.#a(()=>{let[e,t]=this.#l();this.#i=t;let r=this.#u(()=>0);return this.#i=e,r})}expire(e){let t=this.#i;if(!e||!t||t.sharing?.isRepeated)return this;let{afterMs:r,onExpiry:i}=e;return this.#n=Bd(t.store).add(r,()=>this.#o(i)),this}#s(){this.#i&&typeof this.#n=="object"&&Bd(this.#i.store).remove(this.#n)}#o(e){let[t,r]=this.#l(),i=e==="giveBack",s=i?this.#i:t;this.#n=i?"given back":void 0;let a=r&&i?hp(r):r;this.#i=a;let l=s?.checks.filter(({cost:c})=>c!==0)??[];if(!s||l.length===0)return;let d=l.map(c=>({...c,cost:-c.cost}));if(!i)return b(this.#e.correct(s,d),()=>{});let u=b(this.#e.correct(s,d,{givesBack:!0}),c=>{this.#r=void 0,s.sharing&&c==="repeated"&&this.#i===a&&(this.#i=void 0)});return B(u)&&(this.#r=u),u}#a(e){return ne(this.#e.isAsync,()=>b(this.#r,e))()}#l(){return this.#i?mp(this.#i):[void 0,void 0]}#d(e){let t=this.#u(e);return B(t)&&(this.#r=t.then(void 0,()=>{})),t}#u(e){let t=this.#i;if(t)return this.#i=void 0,b(this.#c(t,e,this.#n==="given back"),r=>{if(r!=="given-back")return;let[,i]=mp(t);return i&&b(this.#c(hp(i),e,!0),()=>{})})}#c(e,t,r){let i=e.checks.map(a=>({...a,cost:t(a,e.store)-(r?jd(a):a.cost)})),s=e.sharing?i.map(Ud):i.filter(pp);return s.length===0?void 0:this.#e.correct(e,s)}};function mp(n){if(n.id===void 0)return[void 0,n];let e=n.checks.filter(t=>!V(t));return[{...n,checks:n.checks.filter(V)},e.length===0?void 0:{...n,checks:e,id:void 0}]}o(mp,"partsOf");function jd({cost:n,limit:e}){return yt(e)?0:n}o(jd,"heldAfterEnd");function V({limit:n}){return T(n)}o(V,"isSlot");function pp(n){return n.cost<0||n.cost>0&&ds(n)}o(pp,"changesAnything");function Ud(n){return n.cost===0||pp(n)?n:{...n,cost:0}}o(Ud,"withoutLateCharge");function hp(n){let{sharing:e}=n;return e?{...n,sharing:{...e,id:Fd(e.id)}}:n}o(hp,"inSecondTurn");function Fd(n){return`${n}:again`}o(Fd,"secondTurnOf");function yp(n){return`${n}:units`}o(yp,"unitsIdOf");function gp(n,e){let{ask:t,checks:r,verdicts:i,atMs:s,timesMs:a}=n,l=n.attempt??t.id,d=a?r.map((f,m)=>ev(f,a[m])):r,c=!a&&i.every(nv)?d:d.filter((f,m)=>i[m]?.allowed&&(!a||a[m]!==void 0));return{store:e,checks:c.some(tv)?c.map(Um):c,atMs:s,id:c.some(V)?l:void 0,...t.holdMs!==void 0&&l!==void 0&&{sharing:XS(n,l)}}}o(gp,"heldChargeOf");function XS({ask:{attempt:n},atMs:e},t){let r={id:yp(t),untilMs:e+(fs(t)??jr)};return n===void 0||n===t?r:{...r,isRepeated:!0}}o(XS,"sharingOf");function ev(n,e){return e===void 0?n:{...n,atMs:e}}o(ev,"timedAt");function tv({lend:n}){return n!==void 0}o(tv,"isGuaranteed");function nv({allowed:n}){return n}o(nv,"isAllowed");function wp(n,e,t){let r=Zm(n);rv(r,t);let i={charge:r,store:av(r,t),context:t},s=Mp(i,e,({cost:l})=>l),a=s.filter(l=>!V(l));return b(iv(i,s.filter(V)),l=>a.length===0?l?.result??"expired":sv(i,e,a))}o(wp,"correctCharge");function rv({policy:n},{policy:e}){if(n!==e)throw p("charge.policy",`must be ${JSON.stringify(e)}, the policy that corrects it`,n)}o(rv,"checkPolicy");function iv(n,e){let{slot:t}=n.charge;if(!(e.length===0||t===void 0))return b(ze(n.store).release(t),()=>bp(n,{checks:e,id:t}))}o(iv,"freeSlots");function sv(n,e,t){let{id:r}=n.charge;return b(kp(n,t,r),i=>{if(i!=="given-back")return i;if(e.cancel)return"repeated";let s=Mp(n,e,jd).filter(a=>!V(a));return kp(n,s,Fd(r))})}o(sv,"correctUnits");function kp(n,e,t){let{charge:r}=n,i=Math.max(r.untilMs,r.atMs+(fs(r.id)??0)),s=bp(n,{checks:e,id:t,keptUntilMs:i});return b(s,a=>ov(a,e,r.untilMs))}o(kp,"adjustOnce");function bp({charge:n,store:e,context:t},r){let{atMs:i,untilMs:s}=n;return t.storeClient.correct(e,{atMs:i,notAfterMs:s,...r})}o(bp,"adjust");function ov({result:n,atMs:e},t,r){return n==="expired"&&e<=r&&t.every(({cost:s})=>s===0)?"applied":n}o(ov,"resultOf");function av({local:n},{store:e,local:t}){if(n===id(e))return e;if(n!==void 0&&t&&n===id(t))return t;throw new g("SLUICE_UNSUPPORTED",n===void 0?"the charge is in a store that several processes share, and this policy has another store: give it the store that was charged":"the charge is in the memory of another process or store, because its store shares no counters or had failed: only that process can correct it")}o(av,"storeOf");function Mp({charge:n,store:e,context:t},r,i){let{policy:s,checks:a}=n,{ownsCost:l,storeClient:d,now:u,store:c}=t,f=new Map([...l,...a.map(({name:h,itemName:y=h,ownsCost:k=!1})=>[y,k])]),m=lv(r,s,f);return a.map(h=>{let y=Ym(s,h),k=e===c?u(y):y,O=(V(k)||r.cancel?0:d.chargeOf(e,k,m(k)))-i(k),I=O<0&&!yt(k.limit)?0:O;return Ud({...k,cost:I})})}o(Mp,"changesOf");function lv(n,e,t){E(n,["actual","cancel"]);let{actual:r,cancel:i}=n;if(i!==void 0&&i!==!0)throw p("cancel","must be true",i);if(i&&r!==void 0)throw p("actual","must not stand beside cancel",G(r));return vo(r,{policy:e,ownsCost:t,path:"actual"})}o(lv,"amountsOf");var Sp=1e3,dv={allowed:!1,remaining:0,used:0,resetAfterMs:Sp,retryAfterMs:Sp,delayMs:0};function Qn(n,e,t){if(e.length===1)return Oo(n,e,e[0],t);let r=e.filter(({shadow:a})=>!a),i=r.filter(({allowed:a})=>!a),s={policy:n,allowed:i.length===0,verdicts:e,tightest:(r.length>0?r:e).reduce((a,l)=>uv(l,a)?l:a),retryAfterMs:i.length===0?0:e.filter(di).map(({retryAfterMs:a})=>a).reduce(li,0),delayMs:Math.max(...r.map(({delayMs:a})=>a),0),shadowed:e.some(({shadow:a,allowed:l})=>a&&!l),source:t};return e.some(Ap)?{...s,exceeded:!0}:s}o(Qn,"decide");function Ap({marked:n,allowed:e}){return n===!0&&!e}o(Ap,"isExceeded");function Oo(n,e,t,r){let i=!t.allowed&&!t.shadow,s={policy:n,allowed:!i,verdicts:e,tightest:t,retryAfterMs:i?t.retryAfterMs:0,delayMs:t.shadow?0:t.delayMs,shadowed:!t.allowed&&t.shadow===!0,source:r};return Ap(t)?{...s,exceeded:!0}:s}o(Oo,"decideOne");var aN=ih.map(n=>Oo("",[n],{...n,allowed:!1},"store"));function li(n,e){return n==="never"||e==="never"?"never":Math.max(n,e)}o(li,"longer");function di({allowed:n,shadow:e,cost:t,retryAfterMs:r}){return!e&&(!n||t>0&&r!==0)}o(di,"delaysRetry");function uv(n,e){return n.allowed!==e.allowed?!n.allowed:n.allowed?n.remaining===e.remaining?vp(n.resetAfterMs,e.resetAfterMs):n.remaining<e.remaining:vp(n.retryAfterMs,e.retryAfterMs)}o(uv,"isTighter");function vp(n,e){return n!==e&&li(n,e)===n}o(vp,"isLonger");function Cp(n,e){return e==="allow"||n.limit.algorithm==="unlimited"?tt(n):z(n,dv)}o(Cp,"fallbackVerdict");function Ep({policy:n,limits:e},{allowed:t,shadowed:r,verdicts:i,source:s}){let a=t?r?ch:uh:fh;Eo(n.decisions,s==="store"?a:a+dh.indexOf(s),1);let l=t&&(s==="store"||s==="local");for(let d=0;d<i.length;d+=1)cv(e[d],i[d],l)}o(Ep,"countDecision");function cv({numbers:n,delays:e},t,r){let{allowed:i,limit:s,remaining:a,cost:l,delayMs:d}=t;if(!i){Eo(n,t.shadow?hh:Wr,1);return}let{quota:u}=s;Eo(n,_r+Wd(a,u),1),r&&(!T(s)&&s.algorithm!=="unlimited"&&Eo(n,Gt,l),d>0&&e.add(d))}o(cv,"countVerdict");function Wd(n,e){return n<e?Math.ceil(Ls*n/e):Ls}o(Wd,"tenthsLeft");function Eo(n,e,t){n[e]=n[e]+t}o(Eo,"add");function Op(n){if(!n.every(({quotaUnit:e})=>e===void 0))return e=>e.map((t,r)=>_d(t,n[r]?.quotaUnit))}o(Op,"unitWriter");function _d(n,e){if(e===void 0)return n;let t=W[n.limit.algorithm];return t===void 0||t.quotaUnit!==void 0?n:{...n,quotaUnit:e}}o(_d,"withUnit");var Kd=class{static{o(this,"DecisionMessage")}decision;durationMs;#e;#t;constructor(e,t,r){this.decision=e,this.durationMs=t,this.#e=r}get keys(){return this.#t??=this.#e.map(({key:e})=>de(e)),this.#t}get encodedKeys(){return this.#e.map(({key:e})=>e)}toJSON(){let{decision:e,keys:t,durationMs:r}=this;return{decision:e,keys:t,durationMs:r}}};function Vd(n,e,t){we("sluice:decision",new Kd(n,x()-t,e))}o(Vd,"publishDecision");function xp(n){let e=x();return t=>{let r=n(t);return t&&r&&Vd(r,t.ask.checks,e),r}}o(xp,"publishing");var xo=class n{static{o(this,"FastPath")}limit;takesSubjects;#e;#t;#n;#r;#i;#s;#o;#a=0;#l;#d="";static over(e,t,{limits:r}){let[i]=e.items,s=fv(e);if(i===void 0||s===void 0)return;let{limit:a}=i,l=t.fastPath?.(s.policy,s.name,typeof a=="function"?void 0:a);return l&&new n(i,s,t,l,r[0])}constructor({limit:e,keyGenerators:t,partition:r},i,s,a,l){this.limit=e,this.takesSubjects=t===void 0&&r===void 0,this.#e=i,this.#t=s,this.#n=s.consume,this.#r=a,this.#i=l.alone,this.#s=l.delays}get isOpen(){return this.#t.consume===this.#n}limitOf(e){let{limit:t}=this;return typeof t=="function"?t(e):t}serves(e){return e===this.#o||!B(e)&&Rp(e)}costOf(e){let{cost:t,ownsCost:r}=this.#e;if(e===void 0)return t;let i=vt(e);return r?t:i}encode(e){return e===this.#l?this.#d:(this.#l=e,this.#d=Re(e),this.#d)}checkOf(e,t,r){let{policy:i,name:s,tolerance:a}=this.#e,l=oi(r,a);return l===0?{policy:i,name:s,key:e,limit:r,cost:t}:{policy:i,name:s,key:e,limit:r,cost:t,margin:l}}consume(e,t,r){let{policy:i,quotaUnit:s,tolerance:a}=this.#e;r!==this.#o&&(this.#o=r,this.#a=a===0?0:oi(r,a));let l=_d(this.#r.consume(e,t,r,this.#a),s);return this.#u(l),Oo(i,[l],l,"store")}#u({allowed:e,remaining:t,limit:{quota:r},cost:i,delayMs:s}){let a=this.#i;if(!e){a[Wr]=a[Wr]+1;return}let l=_r+Wd(t,r);a[l]=a[l]+1,a[Gt]=a[Gt]+i,s>0&&this.#s.add(s)}chargeOf({allowed:e},t){return e?new $d(this,t,this.#r.atMs):void 0}heldBy(e,{cost:t,limit:r},i){return{store:this.#t,checks:[this.checkOf(e,t,r)],atMs:i,id:void 0}}},$d=class{static{o(this,"FastCharge")}#e;#t;#n;constructor(e,t,r){this.#e=e,this.#t=t,this.#n=r}held(e){return this.#e.heldBy(this.#t,e,this.#n)}};function fv({name:n,items:e,skip:t}){let[r]=e;if(r===void 0||e.length>1||t)return;let{name:i,limit:s,cost:a,ownsCost:l,quotaUnit:d,enforce:u,margins:c,slowDown:f,guarantee:m}=r;if(!(typeof s!="function"&&!Rp(s))&&!(typeof a=="function"||u!==1)&&!(c?.elastic||c?.headroom||f||m))return{policy:n,name:i,cost:a,ownsCost:l,quotaUnit:d,tolerance:c?.tolerance??0}}o(fv,"fixedOf");function Rp(n){return n.calendar===void 0&&!T(n)&&Xe(n.algorithm)}o(Rp,"isServed");function Tp(n){let e=new Map(n.flatMap(mv));return t=>{let r=e.get(t.name);return r===void 0||r===t.limit||!hv(r,t.limit)?t:{...t,limit:r}}}o(Tp,"limitChange");function mv(n){let{name:e,limit:t,guarantee:r}=n;return typeof t=="function"?[]:r?[[e,t],[r.totalName,r.total]]:[[e,t]]}o(mv,"limitsOf");function hv(n,e){return n.algorithm===e.algorithm&&JSON.stringify(n.calendar)===JSON.stringify(e.calendar)}o(hv,"haveOneState");function Ro(n,e){if(!Array.isArray(n))return Rt(n,e),{keyGenerators:[n],isCompoundKey:!1};if(n.length===0)throw p(e,"must have at least one part",n);return n.forEach((t,r)=>{Rt(t,`${e}[${r}]`)}),{keyGenerators:[...n],isCompoundKey:!0}}o(Ro,"keyGeneratorsOf");function ui(n){let{name:e,guarantee:t}=n;return t?[e,t.partName,t.totalName]:[e]}o(ui,"countedNames");var pv=4096;function Lp({guarantee:n,lend:e},t,r){let i=M(r,"guarantee");if(n===void 0){if(e!==void 0)throw p(M(r,"lend"),"needs the option guarantee",e);return}E(n,["limit","keyGenerator","total"],i);let s=yv(t.limit,i,n);if(t.hasMargins)throw p(i,"cannot stand beside tolerance, elastic or headroom: lend says how far the limit may be exceeded",n);if(!t.hasKey)throw p(M(r,"keyGenerator"),"must be there beside guarantee: it says who shares the limit, for example everyone()",void 0);let a=v(n.total,M(i,"total"),0,s.quota);return Object.freeze({...Ro(n.keyGenerator,M(i,"keyGenerator")),whole:s,partName:`${t.name}:part`,totalName:`${t.name}:total`,part:gv(n.limit,s,a,M(i,"limit")),nothing:Gd(s,0,i),total:Gd(s,a,M(i,"total")),lend:sn(e??0,M(r,"lend"))})}o(Lp,"guaranteeOf");function yv(n,e,t){if(typeof n=="function")throw p(e,"needs a limit that is no function, because total must be at most the limit",t);let i=(Xe(n.algorithm)?U(n).guarantee:void 0)?.partOf(n,n.quota);if(i===void 0)throw p(e,"needs a limit whose parts come back when the limit does: slidingWindow, slidingWindowLog, concurrency, fixedWindow with align: 'clock' or a calendar window, or tokenBucket with a rate and without refillInterval",n);for(let[s,a]of[["countRejected",n.countRejected],["blockDuration",n.blockMs]])if(a!==void 0)throw p(e,`cannot stand beside ${s}: the refusals of one tenant would concern all others`,a);return Object.freeze(i)}o(yv,"divisible");function gv(n,e,t,r){let i=new Map,s=o((l,d)=>(i.size>=pv&&!i.has(l)&&i.clear(),S(i,l,()=>Gd(e,v(l,d,0,t),d))),"partFor");if(typeof n!="function"){let l=s(n,r);return()=>l}let a=n;return(...l)=>b(a(...l),d=>s(d,`${r}()`))}o(gv,"partsOf");function Gd(n,e,t){let{name:r,...i}=n,s=U(n).guarantee?.partOf(i,e);if(s!==void 0)return Object.freeze(s);throw p(t,"must be a part of the limit whose rate can be counted exactly",e)}o(Gd,"partOf");var To=class{static{o(this,"PolicyCharges")}isAsync;ownsCost;#e;#t;#n;#r;#i;constructor({items:e,timeoutMs:t},r,i,s,a){this.isAsync=r.async,this.ownsCost=new Map(e.map(({name:l,ownsCost:d})=>[l,d])),this.#e=r,this.#t=r.remote&&t!==void 0?{timeoutMs:t}:{},this.#n=i,this.#r=s,this.#i=a}hold(e,{store:t,checks:r,sharing:i}){let s=r.filter(V);for(let{name:a}of s)this.#r.limitSoFar(a).slotTaken();ze(t).hold(e,s,{...this.#t,renew:i?"held":!0})}chargeOf(e,t,r){return this.#n.chargeOf(e,t,r)}correct(e,t,r){let{store:i,id:s}=e;return s===void 0||e.sharing?.isHandedOver?this.#o(e,t,r):(this.#s(t),b(ze(i).release(s),()=>this.#o(e,t,r)))}handOver({store:e,id:t,checks:r}){t!==void 0&&(this.#s(r),ze(e).handOver(t))}#s(e){for(let t of e)V(t)&&(this.#r.limitSoFar(t.name).slots-=1)}#o({store:e,atMs:t,id:r,sharing:i},s,a){let l=e===this.#e?this.#i():void 0,u={checks:l?s.map(l):s,atMs:t,...r!==void 0&&{id:r}};return i?this.#a(e,u,i,a):this.#n.adjust(e,qd(u,e))}#a(e,t,{id:r,untilMs:i},s){let a=t.checks.filter(V),l=t.checks.filter(c=>!V(c)),d=a.length>0?this.#n.adjust(e,{...t,checks:a}):void 0;if(l.length===0)return d;let u={id:r,keptUntilMs:i,notAfterMs:i,...s};return b(d,()=>this.#n.adjust(e,{...t,checks:l,...u}))}};function qd(n,e){return n.id!==void 0||!e.remote?n:{...n,id:_()}}o(qd,"withOperationId");function Ip({items:n}){if(!n.every(({slowDown:e})=>e===void 0))return(e,t)=>e.map((r,i)=>{let s=n[i]?.slowDown,l=s&&r.allowed&&!r.guaranteed?kv(r,s,t):0;return l>r.delayMs?{...r,delayMs:l}:r})}o(Ip,"delayWriter");function kv({used:n,cost:e},{after:t,byMs:r,upToMs:i},s){let a=n+(s?e:0)-t;return a<=0?0:a>i/r?i:a*r}o(kv,"delayOf");function Ct(n,e,t){return e.map(r=>{let{calendar:i}=r.limit;return i?{...r,calendarBoundsMs:n.at(i,t)}:r})}o(Ct,"withCalendarBounds");var Np=require("node:util");var wv=6e4,bv={local:"requests are counted in this process only, by its share of the limits",allow:"requests are admitted without being counted"},Pp=new WeakMap;function Dp(n,e,t,r){if(t==="deny"||Ve["sluice:store-error"].hasSubscribers)return;let i=Mv(n),s=Pp.get(n);if(s!==void 0&&i>=s&&i-s<wv)return;Pp.set(n,i);let a=r instanceof Error?r.message:(0,Np.inspect)(r,{customInspect:!1});Je("SLUICE_STORE_FAILING",`The store of the policy ${JSON.stringify(e)} fails. Because of onStoreError '${t}', ${bv[t]}: ${a}`)}o(Dp,"warnOfStore");function Mv({clock:n}){try{return n.now()}catch{return 0}}o(Mv,"timeOf");var Lo=class{static{o(this,"Fallback")}#e;#t;#n;#r;#i;#s;#o=new WeakMap;constructor({name:e,onStoreError:t},r,i,s,a){this.#e=e,this.#t=t,this.#n=r,this.#r=i,this.#i=s,this.#s=a}reset(e){return this.#r.local?.reset(e)??0}answer(e,t,r){return this.#l(r),this.#t==="local"?this.#c(e,t):this.#d(e,t,this.#t)}charge(e,t){this.#l(t);let r=e.filter(({cost:i})=>i>0);this.#t==="local"&&r.length>0&&this.#u(r)}change(e,t,r){if(this.#l(r),this.#t!=="local")return this.#d(e,nt(t),this.#t);let i=t.map(l=>({...l,cost:Math.max(0,l.cost)})),{verdicts:s,atMs:a}=this.#u(i);return{ask:e,checks:t,verdicts:s,source:"local",store:void 0,atMs:a}}chargeOf({limit:e},t){return this.#a===1?t:Math.min(t,e.quota)}get#a(){return this.#n.remote?.instances??1}#l(e){if($(e))throw e;Wt(this.#s.storeErrors,e),we("sluice:store-error",{error:e,policy:this.#e,source:this.#t}),Dp(this.#n,this.#e,this.#t,e)}#d(e,t,r){let i=t.map(s=>Cp(s,r));return{ask:e,checks:t,verdicts:i,source:r,store:void 0,atMs:0}}#u(e){let t=this.#r.localStore(this.#n.clock),r=this.#f(e);Ao(this.#s,r);let i=t.adjust({checks:r});return i.result!=="outside-calendar-bounds"?i:t.adjust({checks:Ct(this.#i,r,i.atMs)})}#c(e,t){let r=this.#r.localStore(this.#n.clock),i=this.#f(t),{verdicts:s,atMs:a,attempt:l}=r.consume({...e,checks:i}),d={ask:e,checks:i,verdicts:s,source:"local",store:r,atMs:a};return l===void 0?d:{...d,attempt:l}}#f(e){let t=this.#a;return t===1?e:e.map(r=>{let i=S(this.#o,r.limit,()=>Im(r.limit,t));return{...r,...ip(r,i),limit:i,cost:r.cost<=r.limit.quota?Math.min(r.cost,i.quota):r.cost}})}};var Io=class{static{o(this,"StoreClient")}#e;#t;#n;#r;#i;#s;constructor(e,t,r,i,s){this.#e=t,this.#s=t.remote&&e.timeoutMs,this.#t=t.async?Wn(t):void 0,this.#n=r,this.#r=s,this.#i=new Lo(e,t,i,r,s)}ask(e,t){let r=zd(e.checks);if(r.length===0)return t({ask:e,checks:r,verdicts:[],source:"store",store:void 0,atMs:0});let i=this.#f(r===e.checks?e:{...e,checks:r});return this.#t?this.#a(e,i,this.#t,t):this.#o(e,i,t)}#o(e,t,r){let i;try{i=this.granted(e,t.checks,this.#e.consume(t))}catch(s){i=this.failed(e,t.checks,s)}return b(i,r)}#a(e,t,r,i){let s=r.known(t);if(s)return b(this.granted(e,t.checks,s),i);let a=new Hd(this,e,t.checks,i);return r.ask(t,a),a.promise()}granted(e,t,r){return r.outsideCalendarBounds?this.#l(e,t,r.atMs):this.#d(e,t,r)}#l(e,t,r){let i=Sv(e);return be(()=>b(this.#u({...i,checks:t},r),s=>this.#d(i,t,s)),s=>this.failed(e,t,s))}failed(e,t,r){return this.#i.answer(e,t,r)}adjust(e,t){return be(()=>b(this.#c(e,t),({result:r})=>r),r=>{this.#i.charge(t.checks,r)})}correct(e,t){let r={...t,checks:Ct(this.#n,t.checks,e.clock.now())};return gt(()=>this.#c(e,r))}change(e,t){return be(()=>b(this.#c(this.#e,t),r=>this.#d(e,t.checks,r)),r=>this.#i.change(e,t.checks,r))}reset(e){let t=this.#i.reset(e);return b(gt(()=>this.#e.reset(e)),r=>r+t>0)}chargeOf(e,t,r){return e===this.#e?r:this.#i.chargeOf(t,r)}#d(e,t,{verdicts:r,atMs:i,timesMs:s,attempt:a}){let l={ask:e,checks:t,verdicts:r,source:"store",store:this.#e,atMs:i};return!s&&a===void 0?l:{...l,...s&&{timesMs:s},...a!==void 0&&{attempt:a}}}#u(e,t){let r=this.#f({...e,checks:Ct(this.#n,e.checks,t)});return b(this.#e.consume(r),i=>{if(!i.outsideCalendarBounds)return i;throw Bp()})}#c(e,t){return b(e.adjust(this.#f(t)),r=>{if(r.result!=="outside-calendar-bounds")return this.#m(t,r);let i=this.#f({...t,checks:Ct(this.#n,t.checks,r.atMs)});return b(e.adjust(i),s=>{if(s.result!=="outside-calendar-bounds")return this.#m(t,s);throw Bp()})})}#f(e){return this.#s===void 0?e:{...e,timeoutMs:this.#s}}#m(e,t){return t.result==="applied"&&Ao(this.#r,e.checks),t}},Hd=class{static{o(this,"PendingOutcome")}#e;#t;#n;#r;#i;#s;constructor(e,t,r,i){this.#e=e,this.#t=t,this.#n=r,this.#r=i}promise(){return this.#s?this.#s:new Promise(e=>{this.#i=e})}resolve(e){try{this.#o(b(this.#e.granted(this.#t,this.#n,e),this.#r))}catch(t){this.#o(Promise.reject(t))}}reject(e){try{this.#o(this.#r(this.#e.failed(this.#t,this.#n,e)))}catch(t){this.#o(Promise.reject(t))}}#o(e){this.#i?this.#i(e):this.#s=Promise.resolve(e)}};function Bp(){return new g("SLUICE_STORE","the store refused calendar boundaries that were computed for its own time")}o(Bp,"calendarBoundsRefused");function Jn({limit:n}){return n.algorithm!=="unlimited"}o(Jn,"isCounted");function Sv(n){return n.id===void 0||n.holdMs!==void 0?n:{...n,id:_()}}o(Sv,"askedAnew");function zd(n){for(let e=0;e<n.length;e+=1){let t=n[e];if(t.lend!==void 0||!Jn(t))return n.filter(Jn).flatMap(Bm)}return n}o(zd,"countedOf");var Po=class n{static{o(this,"Engine")}policy;store;current=this;#e;#t=[];mayDelay;#n;#r;#i;#s;#o;#a;#l;#d;#u;#c;#f;#m;#h;#y;#p;constructor(e,t,r,i,s,a){let l=new bn(t.clock);this.#e=a??this,this.policy=e,this.store=t,this.mayDelay=e.items.some(Cv),this.#n=e.items.some(Ev),this.#m=s,this.#h=r,this.#y=i,this.#p=Tp(e.items),this.#s=new ai(e,r,l),this.#o=new ai(up(e),dp,l),this.#r=Av(e),this.#a=new Io(e,t,l,i,this.counts),this.#i=xo.over(e,t,this.#r),this.#d=Fm(e.items),this.#u=Op(e.items),this.#c=ap(e),this.#f=Ip(e),this.#l=new To(e,t,this.#a,this.counts,()=>this.#w()),a||jp(e.items,this.#r)}replaceBy(e){jp(e.policy.items,e.#r),this.counts.removed(this.current.#r.limits),this.current=e,ze(this.store).changeLimits(this.policy.name,e.#p);for(let t of this.#t)t()}succeededBy(e){return new n(e,this.store,this.#h,this.#y,this.#m,this)}onReplaced(e){this.#t.push(e)}#w(){let{current:e}=this.#e;return e===this?void 0:e.#p}get counts(){return this.#r.policy}get takesSubjects(){return this.#i?.takesSubjects===!0&&this.#i.isOpen}consumeSubject(e,t){let r=this.#i,i=r.costOf(t),s=r.limitOf(e);if(!r.serves(s))return this.#g(this.#s.checksUnder(s,vv(e),t));let a=r.encode(e);return Ve["sluice:decision"].hasSubscribers?this.#L(this.#O,a,s,i):this.#O(a,s,i)}consume(e,t,r){let i=this.#i;if(r||!i?.isOpen)return this.#g(this.#s.checks(e,t),r);let s=i.costOf(t),a=typeof i.limit=="function"?i.limit(...e):i.limit;return i.serves(a)?this.#T(this.#O,a,e,s):this.#g(this.#s.checksUnder(a,e,t))}#g(e,t){let r=Yd(this.#C);return Rn(e,this.#M,r,t)}peek(e,t,r){return Rn(this.#s.checks(e,t),this.#S,this.#A,r)}peekReservation(e,t,r){let i=o(s=>s&&this.empty(this.#R(s)),"reservation");return Rn(this.#s.checks(e,t),this.#S,i,r)}peekAt(e,t,r){return Rn(this.#o.checks([e],t),this.#S,this.#A,r)}consumeAt(e,t,r){return this.#g(this.#o.checks([e],t),r)}reserveAt(e,t,r){return this.#k(this.#o.checks([e],t),r)}checks(e,t){return this.#s.checks(e,t)}peekChecks(e){return this.#a.ask({checks:e,peek:!0},this.#A)}reserveChecks(e){return this.#a.ask(Up(e),Yd(this.#E))}reserve(e,t,r){let i=this.#i;if(r||!i?.isOpen)return this.#k(this.#s.checks(e,t),r);let s=i.costOf(t),a=typeof i.limit=="function"?i.limit(...e):i.limit;return i.serves(a)?this.#T(this.#N,a,e,s):this.#k(this.#s.checksUnder(a,e,t))}#k(e,t){let r=Yd(this.#P);return Rn(e,this.#v,r,t)}skipped(){let{name:e,items:t}=this.policy;return Qn(e,t.map(r=>tt({name:r.name,limit:dt(),cost:0})),"store")}notCounted(e){this.counts.skipped[e]+=1,Ve["sluice:skipped"].hasSubscribers&&we("sluice:skipped",{policy:this.policy.name,reason:e})}empty(e){return new this.#m(e,this.#l)}change(e,t,r){return b(this.#s.checks(e,t),i=>i?this.#b(i,r):this.skipped())}correct(e,t){return wp(e,t,{policy:this.policy.name,ownsCost:this.#l.ownsCost,store:this.store,local:this.#y.local,storeClient:this.#a,now:this.#p})}reset(e){return this.#a.reset(this.targets(e))}targets(e){let{name:t,items:r}=this.policy,i=Re(e);return r.flatMap(ui).map(s=>({policy:t,name:s,key:i}))}answer(e){return ne(this.store.async,e)()}#b(e,t){let r={checks:nt(e),peek:!0},i=zd(e).map(s=>{let a=V(s)?0:s.cost;return t==="refund"?{...s,cost:0-a}:{...s,cost:ds(s)?a:0}});return i.every(({cost:s})=>s===0)?this.#a.ask(r,this.#A):b(this.#a.change(r,qd({checks:i},this.store)),this.#A)}#M=o((e,t,r)=>e?(this.#n&&Ov(e),this.#a.ask(r?cs(r,e):{checks:e},t)):t(this.notCounted("skip")),"#consumed");#S=o((e,t,r)=>e?this.#a.ask(r?{...cs(r,e),peek:!0}:{checks:e,peek:!0},t):t(void 0),"#peeked");#v=o((e,t,r)=>e?this.#a.ask(r?cs(r,e):Up(e),t):t(this.notCounted("skip")),"#held");#A=o(e=>e?this.#R(e):this.skipped(),"#decision");#C=o(e=>e?this.#x(e):this.skipped(),"#requestDecision");#P=o(e=>e&&this.#E(e),"#reservation");#E=o(e=>{let t=this.#x(e);if(!t.allowed||!e.store)return this.empty(t);let r=gp(e,e.store);return r.id!==void 0&&this.#l.hold(r.id,r),new this.#m(t,this.#l,r)},"#granted");#O=o((e,t,r)=>{let i=this.#i;try{return i.consume(e,r,t)}catch(s){return this.#x(this.#I(i.checkOf(e,r,t),s))}},"#decideKey");#N=o((e,t,r)=>{let i=this.#i;try{let s=i.consume(e,r,t);return new this.#m(s,this.#l,i.chargeOf(s,e))}catch(s){return this.#E(this.#I(i.checkOf(e,r,t),s))}},"#reserveKey");#T(e,t,r,i){if(Ve["sluice:decision"].hasSubscribers){let a=x();return b(this.#s.key(r),l=>this.#L(e,l,t,i,a))}let s=this.#s.key(r);return B(s)?Promise.resolve(s).then(a=>e(a,t,i)):e(s,t,i)}#L(e,t,r,i,s=x()){let a=e(t,r,i);return Vd(a,[{key:t}],s),a}#I(e,t){let r=[e];return this.#a.failed({checks:r},r,t)}#x(e){let t=this.#R(e);return Ep(this.#r,t),t}#R(e){let{source:t}=e,{checks:r,peek:i}=e.ask,s=this.#D(e),a=this.#u?this.#u(s):s,l=this.#c?this.#c(a,r):a,d=this.#f?this.#f(l,i===!0):l;return Qn(this.policy.name,d,t)}#D(e){return!this.#d&&e.verdicts.length===e.ask.checks.length?e.verdicts:this.#B(e)}#B({ask:{checks:e},verdicts:t,source:r}){let i=this.#d,s=t.values(),a=o(()=>s.next().value,"next");return e.map(l=>{if(!Jn(l))return tt(l);if(!i||!as(l))return a();let[d,u,c]=[a(),a(),a()];return i(c,d,u,r)})}};function vv(n){return[n]}o(vv,"argsOf");function Av({name:n,items:e}){let t=Is(n);return{policy:t,limits:e.map(r=>t.limit(r.name))}}o(Av,"countingOf");function jp(n,{policy:e,limits:t}){e.added(t),n.forEach(({limit:r,enforce:i},s)=>{let a=typeof r=="function"?void 0:r;t[s]?.describe(a,typeof i=="function"?i:()=>i)})}o(jp,"noteLimits");function Cv({algorithm:n,slowDown:e}){return e!==void 0||n===void 0?!0:n!=="unlimited"&&W[n].kernel.delayMs!==void 0}o(Cv,"mayDelay");function Ev({limit:n}){return typeof n=="function"||T(n)}o(Ev,"mayTakeSlots");function Up(n){return n.some(V)?{checks:n,id:_()}:{checks:n}}o(Up,"heldAsk");function Ov(n){let e=n.find(V);if(!e)return;let t=`the concurrency limit ${JSON.stringify(e.name)} holds a slot that has to be released: use reserve() or wait()`;throw new g("SLUICE_UNSUPPORTED",t)}o(Ov,"refuseSlots");function Yd(n){return Ve["sluice:decision"].hasSubscribers?xp(n):n}o(Yd,"withDecisionEvent");function Fp(n,e,t,r){let i=o(s=>{if(!s)return n.notCounted("skip");e.checks=s;let a=o(()=>n.reserveChecks(s),"granted");return t===Number.POSITIVE_INFINITY||!n.mayDelay?a():b(n.peekChecks(s),l=>l.allowed&&l.delayMs>t?n.empty(l):a())},"reserve");return r?i(e.checks):b(n.checks(e.args,e.cost),i)}o(Fp,"reserveInTime");var Xn=class{static{o(this,"Queue")}#e;#t;get first(){return this.#e}get last(){return this.#t}addAfter(e,t){let r=e?e.after:this.#e;t.before=e,t.after=r,e?e.after=t:this.#e=t,r?r.before=t:this.#t=t}remove(e){e.before?e.before.after=e.after:this.#e=e.after,e.after?e.after.before=e.before:this.#t=e.before,e.before=void 0,e.after=void 0}};var No=class{static{o(this,"Flow")}id;limits;#e;#t=new Xn;#n;size=0;listed=0;waitsFor;weight=1;credit=0;hasTurn=!1;before;after;dueMs=0;place=-1;constructor(e,t,r,i){this.id=e,this.limits=t,this.#e=r,this.#n=i}get head(){return this.#n?this.#t.last:this.#t.first}get oldest(){return this.#t.first}add(e){this.#t.addAfter(this.#t.last,e)}putBack(e){let t;if(this.#n)for(t=this.#t.last;t&&t.arrival>e.arrival;)t=t.before;else for(let r=this.#t.first;r&&r.arrival<e.arrival;r=r.after)t=r;this.#t.addAfter(t,e)}remove(e){this.#t.remove(e)}checkOf(e,t){return e.checks[this.positionOf(t)]}positionOf(e){return this.#e[this.limits.indexOf(e)]}closedLimit(e){return this.limits.find(t=>t.isClosedFor(this.checkOf(e,t).cost))}isFreeFor(e){return this.closedLimit(e)?!1:this.#n||this.limits.every(({waiting:t})=>t.next()===void 0)}closedUntilMs(e){return Math.max(...this.limits.map(t=>t.closedUntilMs(this.checkOf(e,t).cost)))}waitsMs(e,t){return new Map(this.limits.map(r=>[this.positionOf(r),r.closedUntilMs(this.checkOf(e,r).cost)-t]))}leastWaitMs(e){let t=Math.max(...this.limits.map(({place:r,dueMs:i})=>r<0?0:i-e));return t>0?t:void 0}};function Wp({args:n,cost:e,signal:t,maxWaitMs:r=Number.POSITIVE_INFINITY,key:i="",weight:s=1,mayWait:a},l,d){return{args:n,cost:e,signal:t,arrival:l,arrivedMs:d,deadlineMs:d+r,key:i,weight:s,mayWait:a,isListed:!1,checks:[],units:1,flow:void 0,hasSpent:!1,state:"asking",ended:void 0,reservation:void 0,promise:void 0,before:void 0,after:void 0,dueMs:0,place:-1}}o(Wp,"newWaiter");var Do=64,xv=100,Rv=1/4,_p=1e3,Jt=class{static{o(this,"KeyedLimit")}id;check;waiting;flows=0;asking=0;isMarked=!1;dueMs=0;place=-1;#e=Do;#t=0;#n=0;#r=0;#i=!1;constructor(e,t,r){this.id=e,this.check=t,this.waiting=r}isClosedFor(e){return this.asking>=this.#e||this.#s(e)}closedUntilMs(e){return this.#s(e)?this.#t:0}#s(e){return this.place>=0&&e>=this.#n}refused({limit:e,cost:t,retryAfterMs:r,resetAfterMs:i,blocked:s},a,l){if(this.#e=1,this.#i&&!s&&this.#l(i),this.#i=!1,r==="never")return 0;if(T(e))return this.#a(l);let d=this.#o(t,a,Math.max(1,r));return s?Math.min(d,_p):d}granted({limit:e,cost:t,used:r,remaining:i,retryAfterMs:s},a,l,d){if(this.#i&&this.#d(r<=t),this.#i=!1,!l)return this.#e=Math.min(Do,2*this.#e),0;let u=t>0?Math.floor(i/t):Do;return this.#e=Math.max(1,Math.min(Do,u)),u>0||s===0||s==="never"?0:T(e)?this.#a(d):this.#o(t,a,s)}wake(){this.#i=!0}#o(e,t,r){return this.#n=e,this.#t=t+r,Math.max(r,this.#r)}#a(e){return this.#n=0,this.#t=0,e?0:_p}#l(e){let t=e==="never"?0:e;this.#r=Math.min(xv,Math.floor(t*Rv),Math.max(1,2*this.#r))}#d(e){this.#r=Math.floor(e?this.#r/4:this.#r*7/8)}};function Kp(n,e){return n==="fair"?new Zd(e):new Qd(n)}o(Kp,"scheduleOf");var Zd=class{static{o(this,"FairSchedule")}#e;#t=new Xn;constructor(e){this.#e=e}next(){for(let e=this.#t.first;e?.head;e=this.#t.first){if(e.hasTurn||(e.hasTurn=!0,e.credit+=this.#e.units*e.weight),e.credit>=e.head.units)return e;e.hasTurn=!1,this.#t.remove(e),this.#t.addAfter(this.#t.last,e)}}add(e){e.hasTurn=!1,e.credit=0,this.#t.addAfter(this.#t.last,e)}resume(e){this.#t.addAfter(void 0,e)}remove(e){this.#t.remove(e)}moved(){}spent(e,t){e.credit-=t}},Qd=class{static{o(this,"ArrivalSchedule")}#e;#t=new At;constructor(e){this.#e=e==="fifo"?1:-1}next(){return this.#t.first}add(e){e.dueMs=this.#n(e),this.#t.add(e)}resume(e){this.add(e)}remove(e){this.#t.remove(e)}moved(e){e.dueMs=this.#n(e),this.#t.moved(e)}spent(e){e.head&&this.moved(e)}#n({head:e}){return e?this.#e*e.arrival:Number.POSITIVE_INFINITY}};var Bo=class{static{o(this,"FlowTable")}#e;#t;#n=new Map;#r=new Map;constructor(e,t){this.#e=e,this.#t=t}get isEmpty(){return this.#n.size===0}flowOf(e,t){let r=`${t.length}:${t}`,i=!1;for(let s of e){if(!Vp(s))continue;let a=Jd(s);r+=`${a.length}:${a}`,i=!0}return i?S(this.#n,r,()=>this.#i(r,e)):void 0}remove(e){this.#n.delete(e.id);let t=e.limits.filter(r=>(r.flows-=1,r.flows===0));for(let{id:r}of t)this.#r.delete(r);return t}#i(e,t){let r=t.filter(Vp),i=r.map(a=>S(this.#r,Jd(a),()=>this.#s(a)));for(let a of i)a.flows+=1;let s=r.map(a=>t.indexOf(a));return new No(e,i,s,this.#e==="newest")}#s(e){return new Jt(Jd(e),e,Kp(this.#e,this.#t))}};function Vp(n){return!n.shadow&&Jn(n)}o(Vp,"isLimiting");function Jd(n){let{name:e,limit:t}=n,r=S(Tv,t,()=>JSON.stringify(t));return`${e.length}:${e}${r}${_t(n)}:${jm(n)}`}o(Jd,"limitId");var Tv=new WeakMap;var jo=class{static{o(this,"Dispatcher")}#e={units:1};#t;#n;#r;#i=[];#s=!1;#o=new Set;constructor(e,t,r){this.#t=new Bo(e,this.#e),this.#n=t,this.#r=r}get isEmpty(){return this.#t.isEmpty}join(e){let t=this.#t.flowOf(e.checks,e.key);t!==e.flow&&(this.leave(e),e.flow=t,t&&(t.size+=1,e.isListed&&(t.listed+=1),t.weight=e.weight,e.units=Math.max(1,...t.limits.map(r=>t.checkOf(e,r).cost)),this.#e.units=Math.max(this.#e.units,e.units)))}leave(e){let{flow:t}=e;if(t&&(e.flow=void 0,t.size-=1,e.isListed&&(t.listed-=1),!(t.size>0))){for(let r of this.#t.remove(t))this.#f(r);this.#t.isEmpty&&(this.#e.units=1)}}asking(e){let t=e.flow?.limits??[];e.state="asking";for(let r of t)r.asking+=1;return()=>{for(let r of t)r.asking-=1,this.#u(r)}}note({flow:e,checks:t},r,i){if(!e)return;let s=this.#r.nowMs();for(let a of e.limits){let l=e.positionOf(a),d=i(a,r[l],t[l],s);d>0&&this.#c(a,s+d)}}queue(e,t){let r=e.flow;e.state="queued",t?(r.putBack(e),e.hasSpent&&(r.credit+=e.units),e.hasSpent=!1):r.add(e),this.#l(r,t)}dequeue(e){let t=e.flow;t.remove(e);for(let r of t.limits)this.#u(r);t.head?t.waitsFor?.waiting.moved(t):this.#d(t)}serve(){if(!this.#s){this.#s=!0;try{for(let e=this.#i.pop();e;e=this.#i.pop())e.isMarked=!1,this.#a(e)}finally{this.#s=!1}}}wake(e){this.#f(e),e.wake(),this.#u(e),this.serve()}#a(e){for(let t=e.waiting.next();t;t=e.waiting.next()){let r=t.head;if(this.#n.endIfOver(r))continue;let i=t.closedLimit(r);if(i===e)return;i?(this.#d(t),this.#l(t,!1)):(t.remove(r),e.waiting.spent(t,r.units),r.hasSpent=!0,t.head||this.#d(t),this.#n.ask(r))}}#l(e,t){let{head:r}=e;if(r){if(e.waitsFor)e.waitsFor.waiting.moved(e);else{let i=e.closedLimit(r)??e.limits.at(-1);e.waitsFor=i,t?i.waiting.resume(e):i.waiting.add(e)}this.#u(e.waitsFor)}}#d(e){e.waitsFor?.waiting.remove(e),e.waitsFor=void 0}#u(e){e.isMarked||(e.isMarked=!0,this.#i.push(e))}#c(e,t){this.#r.wakeUps.set(e,t),T(e.check.limit)&&(this.#o.size===0&&this.#r.renewer.subscribe(this.#m),this.#o.add(e))}#f(e){this.#r.wakeUps.remove(e),this.#o.delete(e)&&this.#o.size===0&&this.#r.renewer.unsubscribe(this.#m)}#m=o(e=>{for(let t of this.#o)e.some(r=>Lv(r,t.check))&&queueMicrotask(()=>this.#o.has(t)&&this.wake(t))},"#freed")};function Lv({policy:n,name:e,key:t},r){return n===r.policy&&e===r.name&&t===r.key}o(Lv,"isSameState");var $p=1e3;function Gp({verdicts:n}){return n.filter(di).map(e=>Iv(e)&&e.retryAfterMs!=="never"?0:e.retryAfterMs).reduce(li,0)}o(Gp,"certainRetryMs");function Iv({limit:n,cost:e,used:t,blocked:r,guaranteed:i}){return T(n)?!r||i!==void 0||t+e>n.quota:!1}o(Iv,"waitsForSlot");function qp(n,e){let t=o(r=>!r.shadow&&r.delayMs>e?{...r,allowed:!1,retryAfterMs:r.delayMs-e,delayMs:0}:r,"refuse");return Qn(n.policy,n.verdicts.map(t),n.source)}o(qp,"tooLate");function Hp(n,e){let t=Math.max(...e.values()),r=o((i,s)=>{let a=e.get(s);if(a===void 0||a<t)return i;let l=li(i.retryAfterMs,Math.max(1,a));return{...i,allowed:!1,retryAfterMs:l,delayMs:0}},"refuse");return Qn(n.policy,n.verdicts.map(r),n.source)}o(Hp,"refusedInLine");var Uo=class{static{o(this,"Endings")}#e;#t;#n;constructor(e,t){this.#e=e,this.#t=t}close(e){this.#n??={reason:e}}endOf(e){return this.#n??(e?.aborted?{reason:e.reason}:void 0)}end(e,t){let{state:r,reservation:i}=e,{dispatcher:s}=this.#t;r==="asking"?e.ended??={reason:t}:r==="delayed"?this.cancel(e,i,()=>this.reject(e,t)):r==="queued"&&(s.dequeue(e),this.reject(e,t),s.serve())}refuseInLine(e){let t=e.flow.waitsMs(e,this.#e.store.clock.now());e.state="asking",Tn(()=>this.#e.current.peekChecks(e.checks),r=>{let i=e.ended??this.endOf(e.signal);i?this.reject(e,i.reason):this.resolve(e,this.#e.current.empty(Hp(r,t)))},r=>this.reject(e,r))}cancel(e,t,r){e.state="asking",Tn(()=>t?.cancel(),r,i=>this.reject(e,i))}resolve(e,t){this.#r(e),this.#t.waiters.resolve(e,t)}reject(e,t){this.#r(e),this.#t.waiters.reject(e,t)}#r(e){this.#t.dispatcher.leave(e),this.#t.wakeUps.remove(e)}};var Fo=class{static{o(this,"AbortGroups")}#e=new Map;#t;constructor(e){this.#t=e}add(e){let{signal:t}=e;t&&S(this.#e,t,()=>this.#n(t)).items.add(e)}remove(e){let{signal:t}=e,r=t&&this.#e.get(t);r&&(r.items.delete(e),!(r.items.size>0)&&(this.#e.delete(t),t.removeEventListener("abort",r.listener)))}#n(e){let t=new Set,r=o(()=>{for(let i of t)this.#t(i,e.reason)},"listener");return e.addEventListener("abort",r),{items:t,listener:r}}};var Wo=class{static{o(this,"WaiterList")}#e=new Set;#t;#n;constructor(e,t){this.#n=t,this.#t=new Fo(e)}get length(){return this.#e.size}oldestMs(e){let[t]=this.#e;return t?Math.max(0,e-t.arrivedMs):0}get oldestQueued(){for(let e of this.#e)if(e.state==="queued")return e}[Symbol.iterator](){return this.#e.values()}add(e){e.isListed||(e.isListed=!0,this.#e.add(e),this.#n.counts.waiting+=1,this.#t.add(e))}resolve(e,t){this.#r(e),e.promise?e.promise.resolve(t):e.reservation=t}reject(e,t){this.#r(e),e.promise?e.promise.reject(t):e.ended={reason:t}}resultOf(e){if(e.state!=="done")return new Promise((t,r)=>{e.promise={resolve:t,reject:r}});if(e.ended)throw e.ended.reason;return e.reservation}#r(e){if(e.state="done",!e.isListed)return;e.isListed=!1,this.#e.delete(e);let{counts:t,nowMs:r}=this.#n;t.waiting-=1,t.waits.add(Math.max(0,r()-e.arrivedMs)),this.#t.remove(e)}};var _o=class{static{o(this,"WakeUps")}#e;#t=new At;#n;#r;#i=Number.POSITIVE_INFINITY;constructor(e,t){this.#e=e,this.#r=t,this.#n=ms(e,()=>this.#o())}set(e,t){e.dueMs=t,e.place<0?this.#t.add(e):this.#t.moved(e),this.#s()}remove(e){e.place<0||(this.#t.remove(e),!(this.#t.size>0)&&(this.#i=Number.POSITIVE_INFINITY,this.#n.end()))}#s(){let{first:e}=this.#t;!e||this.#i<=e.dueMs||(this.#i=e.dueMs,this.#n.begin(Math.max(0,e.dueMs-this.#e.now())))}#o(){let e=Math.max(this.#e.now(),this.#i);this.#i=Number.POSITIVE_INFINITY;let t=[];for(let{first:r}=this.#t;r&&r.dueMs<=e;{first:r}=this.#t)this.#t.remove(r),t.push(r);this.#r(t),this.#s()}};var Ko=class{static{o(this,"WaitingLine")}#e;#t;#n;#r;#i;#s;#o;#a;#l=0;constructor(e,{order:t,sleepsDelays:r,waitsForStore:i}){this.#e=e,this.#t=r,this.#n=i,this.#i=new Wo((a,l)=>this.#a.end(a,l),{counts:e.counts,nowMs:o(()=>this.#d,"nowMs")}),this.#o=ze(e.store),this.#s=new _o(e.store.clock,a=>this.#v(a));let s={ask:o(a=>this.#p(a,!1),"ask"),endIfOver:o(a=>this.#A(a),"endIfOver")};this.#r=new jo(t,s,{nowMs:o(()=>this.#d,"nowMs"),wakeUps:this.#s,renewer:this.#o}),this.#a=new Uo(e,{dispatcher:this.#r,waiters:this.#i,wakeUps:this.#s})}get length(){return this.#i.length}get oldestMs(){return this.#i.oldestMs(this.#d)}get#d(){return this.#e.store.clock.now()}enter(e){let{args:t,cost:r,signal:i,maxWaitMs:s}=e,a=this.#a.endOf(i);if(a)throw a.reason;let l=this.#d,d=this.#e.current;if(this.#r.isEmpty&&!d.store.async&&(s===void 0||!d.mayDelay)){let{releases:u}=this.#o;return b(d.reserve(t,r),c=>c?.allowed&&c.delayMs===0&&!this.#a.endOf(i)?c:this.#c(this.#u(e,l),c,u,d))}return b(d.checks(t,r),u=>this.#e.current===d?this.#f(this.#u(e,l),u):this.enter(e))}policyReplaced(){let e=[...this.#i].filter(({state:t})=>t==="queued");for(let t of e)this.#r.dequeue(t);for(let t of e)this.#h(t);this.#r.serve()}endAll(e){for(let t of this.#i)this.#a.end(t,e)}close(e){this.#a.close(e),this.endAll(e)}endOldest(e,t){let r=t?t.oldest:this.#i.oldestQueued;return r&&this.#a.end(r,e),r!==void 0}giveWay(e){e.deadlineMs=this.#d,e.state==="queued"&&(this.#r.dequeue(e),this.#a.refuseInLine(e),this.#r.serve())}#u(e,t){return this.#l+=1,Wp(e,this.#l,t)}#c(e,t,r,i){let s=this.#o.releases!==r,a=o(l=>{if(!(!t||!l))return e.checks=l,this.#w(i,e,t,s),this.#i.resultOf(e)},"answered");return!t||t.allowed?a(e.checks):b(this.#e.current.checks(e.args,e.cost),a)}#f(e,t){let r=this.#a.endOf(e.signal);if(r)throw r.reason;return t?(e.checks=t,t.some(zp)||this.#r.join(e),!e.flow||e.flow.isFreeFor(e)?this.#p(e,!0):this.#M(e,!1),this.#r.serve(),this.#i.resultOf(e)):this.#e.notCounted("skip")}#m({deadlineMs:e}){return Math.max(0,e-this.#d)}#h(e){let t=this.#e.current;e.state="asking",Tn(()=>t.checks(e.args,e.cost),r=>{let i=e.ended??this.#a.endOf(e.signal);i?this.#a.reject(e,i.reason):t!==this.#e.current?this.#h(e):r?this.#y(e,r):this.#a.resolve(e,t.notCounted("skip")),this.#r.serve()},r=>this.#a.reject(e,r))}#y(e,t){e.checks=t,this.#r.join(e),e.flow&&!t.some(zp)?this.#M(e,!0):this.#p(e,!0)}#p(e,t){let r=this.#e.current,{releases:i}=this.#o,s=this.#r.asking(e);Tn(()=>Fp(r,e,this.#m(e),t),a=>{s(),this.#w(r,e,a,this.#o.releases!==i)},a=>{s(),this.#a.reject(e,a),this.#r.serve()})}#w(e,t,r,i){!(e!==this.#e.current&&r?.allowed===!1)||t.ended?this.#g(t,r,i):this.#m(t)>0?this.#h(t):this.#a.resolve(t,r),this.#r.serve()}#g(e,t,r){let i=e.ended??this.#a.endOf(e.signal);if(i){this.#a.cancel(e,t,()=>this.#a.reject(e,i.reason));return}if(!t){this.#a.resolve(e,void 0);return}(e.flow||!t.allowed)&&this.#r.join(e),t.allowed?this.#k(e,t,r):this.#b(e,t,r)}#k(e,t,r){let{store:i}=this.#e,s=t.source==="store"&&i.supports.exact!==!1;this.#r.note(e,t.verdicts,(d,u,{margin:c=0},f)=>d.granted(u,f,s&&c<=0,r)),this.#r.leave(e);let a=this.#m(e),{delayMs:l}=t;l>a?this.#a.cancel(e,t,()=>this.#a.resolve(e,this.#e.current.empty(qp(t,a)))):l>0&&this.#t?(e.state="delayed",e.reservation=t,this.#i.add(e),this.#s.set(e,this.#d+l)):this.#a.resolve(e,t)}#b(e,t,r){let i=Gp(t),s=this.#m(e),a=!e.flow||i==="never"||i>s||s===0||t.source==="deny"&&!this.#n;this.#r.note(e,t.verdicts,(l,d,u,c)=>di(d)?l.refused(d,c,r):0),a?this.#a.resolve(e,t):this.#M(e,!0)}#M(e,t){let r=e.flow;if(r.closedUntilMs(e)>e.deadlineMs){this.#a.refuseInLine(e);return}if(!e.isListed){if(!this.#S(e,r))return;this.#i.add(e),r.listed+=1,e.deadlineMs<Number.POSITIVE_INFINITY&&this.#s.set(e,e.deadlineMs)}this.#r.queue(e,t)}#S(e,t){if(!e.mayWait)return!0;try{let r=e.mayWait(t.leastWaitMs(this.#d)??$p,t,e);if(r===!1)return this.#a.refuseInLine(e),!1;if(r&&(e.signal=r),e.signal?.aborted)throw e.signal.reason;return!0}catch(r){return this.#a.reject(e,r),!1}}#v(e){for(let t of e)t instanceof Jt&&this.#r.wake(t);for(let t of e)t instanceof Jt||(t.state==="delayed"?this.#a.resolve(t,t.reservation):t.state==="queued"&&this.#C(t));this.#r.serve()}#A(e){let{signal:t,deadlineMs:r}=e;if(t?.aborted)this.#a.end(e,t.reason);else if(e.flow.closedUntilMs(e)>r)this.#r.dequeue(e),this.#a.refuseInLine(e);else return!1;return!0}#C(e){let t=e.flow,r=t.head===e&&t.closedUntilMs(e)<=this.#d;this.#r.dequeue(e),r?this.#p(e,!1):this.#a.refuseInLine(e)}};function zp({limit:n,cost:e,shadow:t}){return!t&&e>n.quota}o(zp,"isHopeless");var Pv=new WeakMap;function Yp(n,e){let t=new Ko(n,e);return n.onReplaced(()=>t.policyReplaced()),S(Pv,n.store,()=>Nv(n.store)).add(t),t}o(Yp,"lineOf");function Nv(n){let e=new et,t=o(()=>{for(let r of e)r.endAll(new g("SLUICE_CLOSED","the store was closed"))},"end");for(let r of te(n))r.whenClosed(t);return e}o(Nv,"endingWith");var Dv="micro-dollars";function Zp(n){return n.includes(Dv)?"deny":"local"}o(Zp,"usualOnStoreError");function Qp({limit:n,window:e},t){let r=M(t,"limit");if(e!==void 0){if(Wl(e,M(t,"window")),se(n))throw p(M(t,"window"),"must be left out beside a Limit, which has its own",e);return typeof n!="function"?Jp(n,e,r):Uv(n,e,r)}if(typeof n=="function")return Bv(n,r);if(se(n))return Ke(n,r);throw p(r,typeof n=="number"?"needs the option window":"must be a number with a window, a Limit, or a function of either",n)}o(Qp,"limitOf");function Jp(n,e,t){let r=v(n,t);return me(r,t),Dr({limit:r,window:e})}o(Jp,"windowed");function Bv(n,e){let t=`${e}()`,r=dt(),i=o(s=>{if(typeof s!="number")return r=Ke(s,t),r;throw p(t,"must be a Limit if there is no option window",s)},"check");return(...s)=>{let a=n(...s);return a===r?a:b(a,i)}}o(Bv,"limitTier");var jv=4096;function Uv(n,e,t){let r=new Map,i=o(s=>{let a=r.get(s);return a||(a=Jp(s,e,`${t}()`),r.size>=jv&&r.clear(),r.set(s,a)),a},"limitFor");return(...s)=>b(n(...s),i)}o(Uv,"numberTier");function Xp(n,e){return e!==void 0?`per-${yr(R(e,"window"))}`:typeof n=="function"?"tier":W[n.algorithm]?.defaultName(n)??n.algorithm}o(Xp,"defaultName");function ey({tolerance:n,elastic:e,headroom:t},r){if(!(n===void 0&&e===void 0&&t===void 0)){if(n!==void 0&&e!==void 0)throw p(M(r,"elastic"),"cannot stand beside tolerance: it is a tolerance that depends on the load",e);return{tolerance:sn(n??0,M(r,"tolerance")),elastic:e&&Fv(e,M(r,"elastic")),headroom:t&&Wv(t,M(r,"headroom"))}}}o(ey,"marginsOf");function ty(n,e,t){if(typeof e=="function")throw p(t,"needs a limit that is no function: for a tier say a tolerance, which is a part of it",n);v(n.upTo,M(t,"upTo"),e.quota,2*e.quota)}o(ty,"checkElastic");function Fv(n,e){E(n,["upTo","while"],e);let t=n.while;if(typeof t!="object"||t===null||!("isCalm"in t))throw p(M(e,"while"),"must have isCalm, like loopDelay()",t);return{upTo:v(n.upTo,M(e,"upTo")),while:n.while}}o(Fv,"elasticOf");function Wv(n,e){E(n,["normal","low"],e);let t=sn(n.normal??0,M(e,"normal")),r=sn(n.low??t,M(e,"low"));if(r<t)throw p(M(e,"low"),"must be at least that of normal",r);return{critical:0,normal:t,low:r}}o(Wv,"headroomOf");function ny(n,e,t){if(n===void 0)return;if(E(n,["after","by","upTo","waiting"],t),typeof e=="object"&&(e.algorithm==="concurrency"||e.algorithm==="leaky-bucket"))throw p(t,`has no meaning for a limit by ${e.algorithm}`,n);let r=typeof e=="object"?Math.max(0,e.quota-1):Number.MAX_SAFE_INTEGER;return{after:v(n.after,M(t,"after"),0,r),byMs:R(n.by,M(t,"by")),upToMs:R(n.upTo,M(t,"upTo")),waiting:n.waiting===void 0?void 0:v(n.waiting,M(t,"waiting"),1)}}o(ny,"slowDownOf");var eu=["name","limit","window","cost","quotaUnit","enforce","keyGenerator","partition","slowDown","tolerance","elastic","headroom","guarantee","lend"],ry=[...eu,"limits","skip","priority","onStoreError","timeout","store"];function tu(n,e=ry){E(n,e),n.skip!==void 0&&Rt(n.skip,"skip"),n.priority!==void 0&&Rt(n.priority,"priority");let t=n.name===void 0?"default":J(n.name,"name"),r=Gv(n);return{name:t,items:r,skip:n.skip,priority:n.priority,..._v(n,r)}}o(tu,"policyOf");function _v(n,e){let t=Zp(e.map(({quotaUnit:i})=>i)),r=j(n.onStoreError??t,"onStoreError",["local","allow","deny"]);return n.timeout!==void 0?{onStoreError:r,timeoutMs:$v(n.timeout)}:{onStoreError:r,timeoutMs:t==="deny"?Kv:void 0}}o(_v,"failureOf");var Kv=500,Vv=6e4;function $v(n){let e=R(n,"timeout");if(e<=Vv)return e;throw p("timeout","must be at most '1m': requests wait for it",n)}o($v,"checkTimeout");function Vo({name:n,items:e}){let t=e.map(({name:r,limit:i,algorithm:s,cost:a,margins:l,guarantee:d})=>({name:r,limit:typeof i=="function"?void 0:i,algorithm:s,cost:typeof a=="function"?void 0:a,usesMargin:l!==void 0,usesGuarantee:d!==void 0}));return{name:n,limits:t}}o(Vo,"outlineOf");function Gv(n){let e=iy(n,"");if(n.limits!==void 0)return qv(n,n.limits,e);let{limit:t}=n;return[Xd(n,e,"",(se(t)?t.name:void 0)??n.name)]}o(Gv,"itemsOf");function qv(n,e,t){for(let i of["limit","window","guarantee","lend"])if(n[i]!==void 0)throw p(i,"must not be beside limits: put it into one of them",n[i]);if(!Array.isArray(e)||e.length===0)throw p("limits","must be a list of at least one limit",e);let r=e.map((i,s)=>Hv(i,t,`limits[${s}]`));return e0(r),r}o(qv,"listedItems");function Hv(n,e,t){return se(n)?(zv(n,t),Xd({limit:n},e,t,void 0)):(E(n,eu,t),Xd(n,{...e,...iy(n,t)},t,n.name))}o(Hv,"listedItem");function zv(n,e){for(let[t,r]of Object.entries(n))if(!(t==="name"||r===void 0||!eu.some(i=>i===t)))throw p(M(e,t),"must not be inside a Limit: write { limit: theLimit, ... }",r)}o(zv,"refuseItemOptions");function iy(n,e){let{cost:t,quotaUnit:r,enforce:i,keyGenerator:s,partition:a,slowDown:l,tolerance:d,elastic:u,headroom:c}=n;return{...t!==void 0&&{cost:Qv(t,M(e,"cost")),ownsCost:e!==""},...r!==void 0&&{quotaUnit:J(r,M(e,"quotaUnit"))},...i!==void 0&&{enforce:Xv(i,M(e,"enforce"))},...s!==void 0&&Ro(s,M(e,"keyGenerator")),...a!==void 0&&{partition:Jv(a,M(e,"partition"))},...l!==void 0&&{slowDown:l},...d!==void 0&&{tolerance:d},...u!==void 0&&{elastic:u},...c!==void 0&&{headroom:c}}}o(iy,"ownOf");function Xd(n,e,t,r){let i=Qp(n,t);r!==void 0&&J(r,M(t,"name"));let s=se(i)?W[i.algorithm]?.quotaUnit:void 0;if(se(i)&&T(i)&&n.cost!==void 0)throw p(M(t,"cost"),"does not apply to a concurrency limit: a request takes one slot",n.cost);Zv(s,n.quotaUnit,e.quotaUnit,M(t,"quotaUnit"));let a=ey(e,t);a?.elastic&&ty(a.elastic,i,M(t,"elastic"));let l=r??(se(i)?i.name:void 0)??Xp(i,n.window),d=e.keyGenerators!==void 0,u=Lp(n,{limit:i,name:l,hasMargins:a!==void 0,hasKey:d},t),c=e.quotaUnit==="requests"||s!==void 0;return Object.freeze({name:l,limit:u?.whole??i,algorithm:se(i)?i.algorithm:n.window===void 0?void 0:"sliding-window",cost:e.cost??1,ownsCost:e.ownsCost??!1,quotaUnit:c?void 0:e.quotaUnit,enforce:e.enforce??1,keyGenerators:e.keyGenerators,isCompoundKey:e.isCompoundKey??!1,partition:e.partition,margins:a,slowDown:ny(e.slowDown,i,M(t,"slowDown")),guarantee:u})}o(Xd,"itemOf");var Yv=W.concurrency.quotaUnit;function Zv(n,e,t,r){if(n!==void 0&&e!==void 0&&e!==n)throw p(r,`does not apply to a concurrency limit, whose unit is ${n}`,e);if(n===void 0&&t!==void 0&&t===Yv)throw p(r,"must be left to concurrency({ limit, lease }), which always has this unit",t)}o(Zv,"checkUnit");function Qv(n,e){return typeof n=="function"?n:v(n,e)}o(Qv,"checkCost");function Jv(n,e){return Rt(n,e),n}o(Jv,"checkPartition");function Xv(n,e){let t=o((r,i)=>{if(r==="mark"||Ka(r))return r;throw p(i,"must be a number from 0 to 1, or 'mark'",r)},"check");return typeof n=="function"?()=>t(n(),`${e}()`):t(n,e)}o(Xv,"checkEnforce");function e0(n){n.forEach((e,t)=>{let{name:r}=e,i=ui(e),s=n.findIndex(a=>ui(a).some(l=>i.includes(l)));if(s!==t)throw new g("SLUICE_DUPLICATE_NAME",`limits[${t}] and limits[${s}] are both named ${JSON.stringify(r)}: give one of them another name`,{path:`limits[${t}].name`,received:r})})}o(e0,"refuseEqualNames");var $o=class{static{o(this,"NameClaim")}owner;holders=new Set;#e;constructor(e){this.owner=e}get local(){return this.#e}localStore(e){return this.#e??=new Fn({name:"local",clock:e}),this.#e}},oy=new WeakMap;function ay(n,e,t){t0(t);let r=te(n);for(let s of r){let a=oy.get(s.place)?.get(e);if(a&&a.owner!==t)throw s0(e,s,a)}let[i=new $o(t)]=r.map(s=>n0(s,e,t));return i}o(ay,"claimName");function t0(n){if(!(typeof n=="function"||typeof n=="object"&&n!==null))throw p("owner","must be an object",n)}o(t0,"checkOwner");function n0(n,e,t){let r=S(oy,n.place,()=>new Map),i=S(r,e,()=>new $o(t));return i.holders.has(n)||(i.holders.add(n),n.whenClosed(()=>{i.holders.delete(n),i.holders.size===0&&r.delete(e)}),n.whenIdentified(s=>r0(s,e,i,n))),i}o(n0,"claimIn");var sy=new Map;function r0(n,e,t,r){let i=S(sy,n,()=>new Map),s=S(i,e,()=>new Set),[a]=s;a&&s.size===1&&a.owner!==t.owner&&i0(e,r),s.add(t),r.whenClosed(()=>{t.holders.size>0||(s.delete(t),s.size===0&&i.delete(e),i.size===0&&sy.delete(n))})}o(r0,"noteIdentity");function i0(n,{description:e}){let t=e?`, or ${e.suggestion}`:"";Je("SLUICE_NAME_SHARED",`Two clients of this process are connected to one server, and a policy named ${JSON.stringify(n)} counts through each of them, so the two share their counters: give one of the policies another name${t}. If they are one policy that is made again, pass one owner to both.`)}o(i0,"warnOfSharing");function s0(n,e,{holders:t}){let{description:r}=e,i=`has a policy named ${JSON.stringify(n)}`,s=t.has(e)||r===void 0?`the store already ${i}: give one of the two another name`:`another store with ${r.place} already ${i}, and the two would share their counters: give one of the policies another name, ${r.suggestion}, or close() the store that is not used any more`;return new g("SLUICE_DUPLICATE_NAME",s,{path:"name",received:n})}o(s0,"duplicateName");var nu=class{static{o(this,"Owned")}names=new Set;engines=new et},o0=new WeakMap,a0=new WeakMap;function dy(n,e,t){let{names:r,engines:i}=S(o0,n,()=>new nu);r.add(t.name),i.add(e),a0.set(e,t)}o(dy,"addReplaceable");var ly=["limit","window","limits","guarantee","lend"];function uy(n,e){let t=ly.some(s=>e[s]!==void 0),r=Object.entries(n).filter(([s])=>!t||!ly.some(a=>a===s)),i=Object.entries(e).filter(([,s])=>s!==void 0);return Object.fromEntries([...r,...i])}o(uy,"replacedOptions");function cy(n,e,t){return t?.accept?.(Vo(e)),n.succeededBy(e)}o(cy,"prepareEngine");var l0={defaultKey:o(n=>Zn(n)?void 0:Re(n),"defaultKey"),keyFor(n,e,[t]){if(!Zn(n))return n;let r=e.keyGenerators?`the keyGenerator of ${JSON.stringify(e.name)} returned ${G(n)} for ${G(t)}`:`the subject is ${G(t)}, and there is no keyGenerator`;throw new g("SLUICE_KEY",`there is no key to count by: ${r}`,{received:t})}};function iu(n,e=n){let t=tu(n),r=d0(t,n.store),i=ay(r,t.name,e),s=new Po(t,r,l0,i,Co);return dy(e,s,{name:t.name,store:n.store,prepare(a){let l=cy(s,tu(uy(n,a)),n.store);return()=>s.replaceBy(l)}}),f0(s)}o(iu,"createLimiter");function d0(n,e){if(e===void 0)return new Fn;if(typeof e?.consume!="function"||typeof e.adjust!="function"||!e.clock)throw p("store","must be a store, like new MemoryStore()",e);return e.accept?.(Vo(n)),Yn(e)}o(d0,"storeFor");function u0(n){return E(n,["cost"]),n.cost}o(u0,"costOf");function fy({expires:n,onExpiry:e}){let t=j(e??"keep","onExpiry",["keep","giveBack"]);if(n!==void 0)return{afterMs:R(n,"expires"),onExpiry:t};if(e!==void 0)throw p("onExpiry","needs the option expires",e)}o(fy,"expiringOf");function ru(n){return E(n,["cost",...nd]),my("consume",n)}o(ru,"operationOptions");function c0(n){E(n,["cost",...nd,"expires","onExpiry"]);let e=fy(n);return{...my("reserve",n,e),expiring:e}}o(c0,"reserveOptions");function my(n,e,t){return{cost:e.cost,operation:Hm(n,e,t?.afterMs)}}o(my,"spendingOf");function f0(n){let{async:e}=n.store,t=o(f=>ne(e,(m,h)=>f([m],h===void 0?void 0:u0(h))),"verb"),r=o(f=>ne(e,(m,h)=>f([m],h===void 0?void 0:ru(h))),"operationVerb"),i=o((f,m)=>{if(typeof f!="string"||!n.current.takesSubjects)return s(f,m);if(m===void 0)return n.current.consumeSubject(f,void 0);let{cost:h,operation:y}=ru(m);return y?n.current.consume([f],h,y):n.current.consumeSubject(f,h)},"consumeNow"),s=o((f,m)=>{if(m===void 0)return n.current.consume([f]);let{cost:h,operation:y}=ru(m);return n.current.consume([f],h,y)},"consumeBy"),a=o((f,m)=>{try{return Promise.resolve(s(f,m))}catch(h){return Promise.reject(h)}},"consumeLater"),l=o(f=>f??n.current.empty(n.current.skipped()),"outcome"),d=o((f,m)=>{if(m===void 0)return b(n.current.reserve([f]),l);let{cost:h,operation:y,expiring:k}=c0(m);return b(n.current.reserve([f],h,y),C=>l(C).expire(k))},"reserve"),u,c={name:n.policy.name,consume:e?a:i,peek:r((f,m)=>n.current.peek(f,m?.cost,m?.operation)),reserve:ne(e,d),refund:t((f,m)=>n.current.change(f,m,"refund")),charge:t((f,m)=>n.current.change(f,m,"charge")),correct:ne(e,(f,m)=>n.current.correct(f,m)),reset:ne(e,f=>n.current.reset(f)),...h0(n),async wait(f,m={}){E(m,["cost","expires","onExpiry","signal","maxWait"]);let{cost:h,signal:y,maxWait:k}=m;Du(y,"signal");let C=fy(m),O=k===void 0?void 0:R(k,"maxWait",0);return u??=Yp(n,{order:"fair",sleepsDelays:!0,waitsForStore:!0}),l(await u.enter({args:[f],cost:h,signal:y,maxWaitMs:O})).expire(C)}};return m0.set(c,n),c}o(f0,"limiterOver");var m0=new WeakMap;function h0(n){let{async:e}=n.store,{block:t,unblock:r,blocked:i,inspect:s}=tp(n);return{block:ne(e,t),unblock:ne(e,r),blocked:ne(e,i),inspect:ne(e,s)}}o(h0,"answeringBlockVerbs");var er=class{static{o(this,"BlocksInFront")}#e;#t;constructor(e,t){this.#e=e,this.#t=t}block(e){return this.#t(e.targets,()=>this.#e.block(e))}unblock(e){return this.#t(e,()=>this.#e.unblock(e))}async find(e){return this.#e.find(e)}async list(e,t){return this.#e.list(e,t)}};function p0(n,e){if(!(typeof n?.consume=="function"&&n.async))throw p(e,"must be a store that returns promises, like new RedisStore()",n)}o(p0,"checkAsyncStore");function Go(n,e){if(p0(n,e),n.supports.exact===!1)throw p(e,"must be a store with exact decisions, and not a LeasedStore or a SyncedStore",n)}o(Go,"checkExactStore");var ot={isFresh:!0};function ci({checks:n},e){return e.outsideCalendarBounds?e:{...e,verdicts:e.verdicts.map((t,r)=>y0(n[r],t))}}o(ci,"asAsked");function y0(n,e){return z($t(n,e.shadow===!0),e)}o(y0,"verdictAsAsked");function qo({checks:n},e,t){let r=e.verdicts.map((i,s)=>{let a=n[s];return py({...i,limit:a.limit},t(a))});return{...e,verdicts:r}}o(qo,"asChanged");function hy({checks:n},e,t){let r=e.allowed?0:t,i=e.verdicts.map((s,a)=>{let{cost:l}=n[a],d=Math.max(0,s.remaining-r),u=d>=Math.max(1,l),c=e.allowed||d>=l;return{...s,cost:l,allowed:c,remaining:d,used:s.used+r,retryAfterMs:u?0:s.retryAfterMs}});return{...e,verdicts:i}}o(hy,"withoutMore");function Ho(n,e){if(e===0||n.outsideCalendarBounds)return n;let t=n.verdicts.map(r=>py(r,e));return{...n,allowed:t.every(({allowed:r,shadow:i})=>r||i),verdicts:t}}o(Ho,"withUnits");function py(n,e){if(e===0)return n;let t=Math.max(n.limit.quota,n.remaining),r=Math.max(0,Math.min(t,n.remaining+e)),i=Math.max(0,n.used-e);if(r>=Math.max(1,n.cost)){let{blocked:u,...c}=n;return{...c,remaining:r,used:i,allowed:!0,retryAfterMs:0}}let{allowed:s,cost:a,resetAfterMs:l}=n,d=n.retryAfterMs||yy(l);return{...n,remaining:r,used:i,allowed:s&&r>=a,retryAfterMs:d}}o(py,"verdictWith");function zo(n,e,t,r,i){let s=Math.max(0,e.remaining-t),a=s>=Math.max(1,n.cost);return z(n,{allowed:r||a,remaining:s,used:Math.max(0,e.used+t),resetAfterMs:g0(n,e,t,i),retryAfterMs:a?0:yy(An(e.retryAfterMs,i)),delayMs:0,blocked:!r&&!a&&e.blocked})}o(zo,"laterVerdict");function g0({limit:n},{resetAfterMs:e},t,r){let i=An(e,r);if(t<=0||i==="never")return i;let s=U(n);if(s.refillMs){let l=s.refillMs(n,t);return l===void 0?"never":i+l}let a=i<=1;return s.lease?.endsAtReset&&!a?i:Math.max(i,s.spanMs(n))}o(g0,"resetAfter");function yy(n){return n===0?1:n}o(yy,"unlessNow");var gy=require("node:util");function fi(n){let{checks:e}=n,t=e[0]?.cost??0;if(!(t===0||!Cn(n))){for(let r=0;r<e.length;r+=1)if(!k0(e[r],t))return;return t}}o(fi,"sharedCost");function k0({shadow:n,margin:e,cost:t,limit:r},i){let{countRejected:s,blockMs:a}=r;return t===i&&!n&&!e&&s===void 0&&a===void 0}o(k0,"isDecidableHere");function tr(n,e){for(let t=0;t<n.length;t+=1){let[r,i]=[n[t]?.limit,e[t]?.limit];if(r!==i&&!(0,gy.isDeepStrictEqual)(r,i))return!1}return!0}o(tr,"haveSameNumbers");var Yo=class{static{o(this,"LeaseState")}checks;slice;taking;wanted=0;lateUntilMs=Number.NEGATIVE_INFINITY;#e=1;#t=0;#n=0;constructor(e){this.checks=e}get resets(){return this.#n}isIdle(e){return!this.taking&&this.wanted===0&&(!this.slice||this.slice.isOver(e))}isBy(e){return tr(e,this.checks)}nextSize(e){return Math.max(this.wanted,Math.min(this.#e,Math.floor(this.#t/(2*e))))}end(e){let{slice:t}=this;if(t)return this.slice=void 0,this.#t=t.remainingThere,this.#e=t.isOver(e)?Math.max(1,t.units-t.left):2*t.units,t}receive(e,t){let r=this.slice;return r&&!r.isOver(t)&&(r.left>=e.left||e.isOver(t))?e:(this.slice=e,r)}refused(){this.#t=0}reset(){let{slice:e}=this;return this.slice=void 0,this.#e=1,this.#t=0,this.#n+=1,e}};var Zo=Object.freeze({timeoutMs:50,instances:1});function Qo({atomicAcrossKeys:n,algorithms:e}){let t=X.filter(({lease:r})=>r).map(({algorithm:r})=>r);return{atomicAcrossKeys:n,algorithms:t.filter(r=>e===void 0||e.includes(r)),exact:!1}}o(Qo,"leasedCapabilities");var nr=class{static{o(this,"PeriodicTask")}#e;#t;#n;#r=new AbortController;#i=!1;constructor(e,t,r){this.#e=e,this.#t=t,this.#n=r}begin(){this.#i||this.#s()}stop(){this.#r.abort()}async#s(){this.#i=!0;try{for(;this.#n.isNeeded();)await this.#e.sleep(this.#t,this.#r.signal),await this.#n.run()}catch{}finally{this.#i=!1}}};function rr({limit:n,name:e,margin:t,lend:r}){if(t)throw by(e,t);if(r!==void 0)throw wy(e,r);return ky(e,n.algorithm)}o(rr,"leaseRuleOf");function Jo({limits:n}){for(let{name:e,algorithm:t,usesMargin:r,usesGuarantee:i}of n){if(r)throw by(e,r);if(i)throw wy(e,i);t!==void 0&&t!=="unlimited"&&ky(e,t)}}o(Jo,"checkLeasable");function ky(n,e){let t=W[e]?.lease;if(t)return t;let r=`the limit ${JSON.stringify(n)} cannot be leased, because a ${e} has no bound if its units are counted later: count it on the store beneath`;throw new g("SLUICE_UNSUPPORTED",r)}o(ky,"leasableRule");function wy(n,e){return p("store",`cannot count the limit ${JSON.stringify(n)}, which has a guarantee, apart from the store behind it: give the policy the store behind`,e)}o(wy,"guaranteeError");function by(n,e){return p("store",`cannot count the limit ${JSON.stringify(n)}, which has tolerance, elastic or headroom, apart from the store behind it: give the policy the store behind`,e)}o(by,"marginError");function My(n,{verdicts:e},t,r){let i=t+r;return n.forEach(({limit:s},a)=>{let l=e[a]?.resetAfterMs;w0(s)?.endsAtReset&&typeof l=="number"&&(i=Math.min(i,t+l))}),i}o(My,"leaseEndMs");function w0(n){return W[n.algorithm]?.lease}o(w0,"ruleOf");var mi=class{static{o(this,"Refusal")}cost;#e;#t;#n;constructor(e,t,r){this.cost=e,this.#e=t,this.#t=r}async of(e,t){this.#n??=this.#t();let r=await t.within(this.#n).catch(()=>{});return r?r.allowed?void 0:ci(e,r):this.withoutLook(e)}withoutLook(e){return ci(e,b0(e,this.#e))}};function b0({checks:n},e){let t=e.verdicts.map((r,i)=>{let{remaining:s,retryAfterMs:a,resetAfterMs:l}=r,d=s>=(n[i]?.cost??0),u=typeof a=="number"&&a>0?a:l;return{...r,allowed:d,retryAfterMs:d?0:u}});return{...e,allowed:!1,verdicts:t}}o(b0,"ofOtherCost");var Xo=class{static{o(this,"Slice")}checks;units;askTimeout;#e;#t;#n;#r;constructor(e,t,r,i){this.checks=e.checks,this.askTimeout=$n(e),this.units=t.taken??0,this.#e=t,this.#r=this.units,this.#t=r,this.#n=i}get atMs(){return this.#e.atMs}get left(){return this.#r}get remainingThere(){return Math.min(...this.#e.verdicts.map(({remaining:e})=>e))}ageMs(e){return Math.max(0,e-this.#t)}isOver(e){return e>=this.#n||e<this.#t}has(e,t){return e<=this.#r&&!this.isOver(t)}isBy(e){return tr(e,this.checks)}spend(e,t,r){this.#r-=t;let i=r-this.#t,{atMs:s,verdicts:a}=this.#e,l=new Array(e.length);for(let d=0;d<e.length;d+=1){let u=a[d];l[d]=zo(e[d],u,0-this.#r,!0,i)}return{atMs:s,allowed:!0,verdicts:l}}};var Sy=5e3,vy=6e4,M0=1e4,ea=class{static{o(this,"SliceSource")}#e;#t;#n;#r;#i=new Map;#s;#o=new zn;#a=!1;#l=0;constructor(e,t,r,i){this.#e=e,this.#s=i,this.#t=t,this.#n=e.remote?.instances??1,this.#r=r}async take(e,t,r,i){let{clock:s}=this.#e;await void 0;let a=e.end(s.now());a&&this.giveBack(a);let{checks:l}=t;e.checks=l;let{resets:d}=e,u=this.#m(e,t,r),c=s.now(),f=o(O=>new Xo(t,O,c,My(l,O,c,this.#t)),"sliceOf"),m=o(O=>{let I=e.resets===d?e.receive(O,s.now()):void 0;I&&this.giveBack(I)},"keep"),h={...t,checks:this.#r.checks(l,u),atLeast:r},y=await this.#d(e,h,O=>m(f(O)));if(!y.allowed){e.refused();let O=u===r||y.outsideCalendarBounds===!0;return{refusal:new mi(r,y,O?async()=>y:()=>this.#h(t))}}let k=f(y),C=i.isOver?void 0:k.spend(l,r,c);return m(k),{answer:C,refusal:new mi(k.remainingThere+1,y,()=>this.#h(t))}}async#d(e,t,r){let{clock:i,remote:s}=this.#e;try{return await this.#e.consume(t,{isFresh:!0,late:o(a=>{a.allowed&&i.now()<e.lateUntilMs&&r(a)},"late")})}catch(a){throw s&&(e.lateUntilMs=i.now()+Sy),a}}giveBack(e,t=e.checks){return this.#o.add(this.#u(e,t))}async#u(e,t){let{left:r,atMs:i,askTimeout:s}=e;if(r===0)return;let a=this.#e.clock.now(),l=i+e.ageMs(a)+vy+Sy,d=this.#r.checks(t,-r).map(u=>({checks:[u],atMs:i,id:_(),unspent:!0,notAfterMs:l,...s}));await Promise.all(d.map(u=>this.#f(u,a+vy)))}get isOwing(){return this.#i.size>0}giveBackOwed(){return this.#o.add(this.#c())}async#c(){if(this.#a)return;this.#a=!0;let e=this.#e.clock.now();for(let[i,s]of this.#i)e>=s&&this.#i.delete(i);let[t,...r]=this.#i;t&&await this.#f(...t)&&await Promise.all(r.map(i=>this.#f(...i))),this.#a=!1}returned(){return this.#o.ended()}forget(e){this.#l+=1;for(let t of this.#i.keys())Mt(e,t.checks)&&this.#i.delete(t)}async#f(e,t){let r=this.#l;try{return await this.#e.adjust(e),this.#i.delete(e),!0}catch(i){return $(i)?(this.#i.delete(e),!0):(this.#i.has(e)||(Me(e.checks,i),this.#l===r&&this.#i.size<M0&&this.#i.set(e,t),this.#s()),!1)}}#m(e,{checks:t},r){let i=Math.min(...this.#r.checks(t).map(({limit:s})=>s.quota));return Math.max(r,Math.min(i,e.nextSize(this.#n)))}async#h(e){return this.#e.consume({...e,checks:this.#r.checks(e.checks),peek:!0},ot)}};var ta=class{static{o(this,"Stricter")}#e;#t=new WeakMap;constructor(e){this.#e=e}accept(e){Jo(e);for(let{name:t,limit:r}of e.limits)r&&r.algorithm!=="unlimited"&&this.#n({name:t,limit:r})}checks(e,t){return e.map(r=>({...r,limit:this.#n(r),cost:t??r.cost}))}#n(e){return(e.margin||e.lend!==void 0)&&rr(e),S(this.#t,e.limit,()=>S0(e,this.#e))}};function S0(n,e){let t=rr(n).stricter(n.limit,e);if(t)return Object.freeze(t);throw p("lease",`must be shorter for the limit ${JSON.stringify(n.name)}, because its stricter limit would be 0`,e)}o(S0,"stricterLimit");var hi=class n{static{o(this,"LeasedStore")}async=!0;selfProtection=!0;clock;supports;keyspaces;remote;blocks;#e;#t;#n;#r;#i=new st;#s;#o={known:o(e=>this.#l(e),"known"),ask:o((e,t)=>Y(this.#d(e),t),"ask")};#a=!1;constructor(e){E(e,["store","lease"]);let{store:t,lease:r=1e3}=e;Go(t,"store"),this.#e=Yn(t),this.#t=t.remote;let i=R(r,"lease",10);this.#n=new ta(i),this.#r=new ea(this.#e,i,this.#n,()=>this.#s.begin()),this.clock=t.clock,this.supports=Qo(t.supports),this.keyspaces=te(t),this.remote=t.remote??Zo;let{blocks:s}=this.#e;s&&(this.blocks=new er(s,async(a,l)=>(this.#c(),this.#u(a,[]),l()))),this.#s=new nr(this.clock,i,{isNeeded:o(()=>this.#i.size>0||this.#r.isOwing,"isNeeded"),run:o(()=>{this.#r.giveBackOwed(),this.#b(this.clock.now())},"run")})}accept(e){this.#n.accept(e),this.#e.accept?.(e)}consume(e){return _n(this.#o,e)}directConsume(){return this.consume===n.prototype.consume?this.#o:void 0}#l(e){let t=this.#a?void 0:fi(e),r=t===void 0?void 0:this.#i.get(e.checks);return r&&this.#f(e)?this.#m(r,e,t):void 0}#d(e){try{this.#c();let t=fi(e);if(t===void 0||!this.#f(e))return this.#w(e);let{checks:r}=e,i=this.#i.get(r)??this.#i.set(r,new Yo(r));return this.#h(i,e,t)}catch(t){return Promise.reject(t)}}async adjust(e){this.#c();let t=await this.#e.adjust({...e,checks:this.#n.checks(e.checks)}),r=this.#g(e.checks);return qo(e,t,()=>r)}async reset(e){return this.#c(),this.#r.forget(e),this.#u(e,e),this.#e.reset(e)}#u(e,t){for(let r of this.#i.concernedBy(e)){let i=r.reset(),s=i?.checks.filter(a=>!Mt(t,[a]));i&&this.#r.giveBack(i,s)}}async close(){this.#a=!0,this.#s.stop();let e=[...this.#i.values()];await Promise.allSettled(e.map(({taking:t})=>t)),this.#i.clear(),this.#r.giveBackOwed();for(let t of e){let r=t.end(this.clock.now());r&&this.#r.giveBack(r)}await this.#r.returned(),await this.#e.close()}#c(){if(this.#a)throw new g("SLUICE_CLOSED","the store was closed")}#f({checks:e}){return this.supports.atomicAcrossKeys||e.every(({key:t})=>t===e[0]?.key)}#m(e,{checks:t},r){let{slice:i}=e,s=this.clock.now();return i?.has(r,s)&&i.isBy(t)?i.spend(t,r,s):void 0}async#h(e,t,r){let i=this.#t&&(t.timeoutMs??this.#t.timeoutMs),s=new Pe(i,this.#t);e.wanted+=r;try{return await this.#y(e,t,r,s)}finally{e.wanted-=r}}async#y(e,t,r,i){let s=!1;for(;;){let{taking:a}=e,l;try{l=a?{...await i.within(a),answer:void 0}:await i.within(this.#p(e,t,r,i))}catch(m){let h=this.#m(e,t,r);if(h)return h;if(a&&$(m))continue;throw m}let{answer:d,refusal:u}=l,c=d??this.#m(e,t,r);if(c)return c;if(!v0(e,t,r,u))continue;let f=s?u.withoutLook(t):await u.of(t,i);if(f)return f;s=!0}}#p(e,t,r,i){return this.#c(),this.#s.begin(),e.taking=this.#r.take(e,t,r,i).finally(()=>{e.taking=void 0}),e.taking}async#w(e){let t=ci(e,await this.#e.consume(this.#k(e),ot));return e.peek?Ho(t,this.#g(e.checks)):t}#g(e){let t=this.#i.get(e)?.slice;return t&&!t.isOver(this.clock.now())?t.left:0}#k(e){return{...e,checks:this.#n.checks(e.checks)}}#b(e){for(let t of this.#i.values()){if(!t.isIdle(e))continue;e>=t.lateUntilMs&&this.#i.delete(t.checks);let r=t.end(e);r&&this.#r.giveBack(r)}}};function v0(n,{checks:e},t,r){return t>=r.cost+(n.slice?.left??0)&&n.isBy(e)}o(v0,"isRefused");var A0=100,na=class{static{o(this,"LocalCounter")}checks;askTimeout;isUsed=!1;#e=0;#t=0;#n=0;#r=Number.POSITIVE_INFINITY;#i=[];#s=[];#o=0;#a=0;#l;#d=0;constructor(e){this.checks=e.checks,this.askTimeout=$n(e)}get unsynced(){return this.#e-this.#n}get unsent(){return this.#e-this.#t}decide(e,t,r,i,s){let a=this.#l;if(!a||i-a.seenMs>=s||!tr(e,a.checks))return;let l=this.#c(a),d=a.remaining-this.#f(a);return l+t<=r&&2*t<=d?this.#u(a,e,t,i):this.#f(a)===0&&C0(a,t,i)?Ay(a,e,0,!1,i):void 0}markAsk(){this.#a+=1;let[e,t,r,i]=[this.#a,this.#n,this.#o,this.#d];return{number:e,checks:this.checks,synced:t,passed:r,changes:i}}see(e,t,r){if(t.changes<this.#d||t.number<(this.#l?.number??0))return;let i=Math.min(...e.verdicts.map(s=>s.remaining));this.#l={...t,reply:e,remaining:i,seenMs:r}}passed(e){this.#o+=e}changed(){this.#l=void 0,this.#d+=1}send(){let e={units:this.unsent,firstMs:this.#r};return this.#t+=e.units,this.#r=Number.POSITIVE_INFINITY,e}counted({units:e,firstMs:t},r){this.#n+=e,!(e===0||r===void 0)&&(this.#i.push({firstMs:t,atMs:r,units:e}),this.#i.length>A0&&this.#i.shift())}notCounted({units:e,firstMs:t}){this.#t-=e,this.#r=Math.min(this.#r,t)}giveBack(e,t){let r=this.#i.find(i=>i.firstMs<=t&&t<=i.atMs&&e<=i.units);return r&&(r.units-=e),r?.atMs}reports(){let e=this.#s;this.#s=[];let t=this.send();return t.units===0?e:[...e,{...t,id:_()}]}unconfirmed(e){this.#s.push(e)}#u(e,t,r,i){this.#e+=r,this.isUsed=!0;let s=Ay(e,t,this.#f(e),!0,i);return this.#r=Math.min(this.#r,s.atMs),s}#c({synced:e}){return this.#e-e}#f(e){return this.#c(e)+this.#o-e.passed}};function C0({reply:n,seenMs:e},t,r){return n.verdicts.some(i=>i.cost===t&&i.remaining<t&&(i.retryAfterMs==="never"||r<e+i.retryAfterMs))}o(C0,"isStillRefused");function Ay({reply:n,seenMs:e},t,r,i,s){let a=Math.max(0,s-e),l=new Array(t.length);for(let c=0;c<t.length;c+=1){let f=n.verdicts[c];l[c]=zo(t[c],f,r,i,a)}let{timesMs:d}=n,u={atMs:n.atMs+a,allowed:i,verdicts:l};return d?{...u,timesMs:d.map(c=>c===void 0?c:c+a)}:u}o(Ay,"answer");async function su(n,e){try{await e()}catch(t){Me(n,t)}}o(su,"bestEffort");var ra=class{static{o(this,"Synchronizer")}#e;#t;#n=new Set;#r=!1;constructor(e){this.#e=e,this.#t=new bn(e.clock)}async ask(e,t,r){t.checks.some(({limit:c})=>e.unsent+r>c.quota)&&this.report(e);let s=e.send(),{units:a}=s,l=e.markAsk(),d=!1,u;try{let c=t.checks.map(k=>({...k,cost:r+a})),f=await this.#e.consume({...t,checks:c},ot);if(f.outsideCalendarBounds)return f;d=f.allowed,u=f.atMs;let m=a===0?f:hy(t,f,a);d&&e.passed(r);let[h,y]=[l.synced+a,l.passed+(d?r:0)];return(d||a===0)&&e.see(m,{...l,synced:h,passed:y},this.#e.clock.now()),m}finally{d?e.counted(s,u):(e.notCounted(s),this.report(e))}}async report(e,t=e.checks){let r=e.reports();if(r.length===0)return;let i=Promise.all(r.map(s=>su(t,()=>this.#i(e,t,s))));this.#n.add(i),await i,this.#n.delete(i)}async#i(e,t,r){let{units:i,id:s}=r;try{let a=t.map(u=>({...u,cost:i})),{result:l,atMs:d}=await this.#e.adjust({checks:a,id:s,...e.askTimeout});l==="outside-calendar-bounds"?e.notCounted(r):e.counted(r,l==="applied"?d:void 0)}catch(a){throw e.unconfirmed(r),a}}#s(e){let{checks:t,askTimeout:r}=e;return su(t,async()=>{let i=e.markAsk(),s=await this.#e.consume({checks:t,peek:!0,...r},ot);s.outsideCalendarBounds?e.checks=Ct(this.#t,t,s.atMs):e.see(s,i,this.#e.clock.now())})}async sync(e){await this.report(e),this.#r||await this.#s(e)}async end(){this.#r=!0,await Promise.all(this.#n)}};var Cy=100,pi=class n{static{o(this,"SyncedStore")}async=!0;selfProtection=!0;clock;supports;keyspaces;remote;blocks;#e;#t;#n;#r;#i=new st;#s=new st;#o;#a={known:o(e=>this.#d(e),"known"),ask:o((e,t)=>Y(this.#u(e),t),"ask")};#l=!1;constructor(e){E(e,["store","sync","slice"]);let{store:t,sync:r=1e3,slice:i=Pm}=e;Go(t,"store"),this.#e=Yn(t),this.#t=R(r,"sync",10),this.#n=v(i,"slice",1),this.clock=t.clock,this.supports=Qo(t.supports),this.keyspaces=te(t),this.remote=t.remote??Zo;let{blocks:s}=this.#e;s&&(this.blocks=new er(s,async(a,l)=>{this.#m();let d=this.#i.concernedBy(a);return await Promise.all([...d].map(u=>this.#r.report(u))),ou(d,l)})),this.#r=new ra(this.#e),this.#o=new nr(this.clock,this.#t,{isNeeded:o(()=>this.#i.size>0,"isNeeded"),run:o(()=>this.#k(),"run")})}accept(e){Jo(e),this.#e.accept?.(e)}consume(e){return _n(this.#a,e)}directConsume(){return this.consume===n.prototype.consume?this.#a:void 0}#d(e){let t=this.#l?void 0:this.#c(e),r=t===void 0?void 0:this.#i.get(e.checks);return r&&this.#h(r,e,t)}#u(e){try{this.#m();let t=this.#c(e);if(t===void 0)return this.#w(e);let r=this.#i.get(e.checks)??this.#y(e);return r?(this.#o.begin(),this.#r.ask(r,e,t)):this.#w(e)}catch(t){return Promise.reject(t)}}#c(e){let t=fi(e);return t!==void 0&&t<=this.#n?t:void 0}async adjust(e){this.#m();let t=this.#g(e.checks);await Promise.all([...t].map(i=>this.#r.report(i)));let r=await ou(t,()=>this.#e.adjust(this.#f(e)));return qo(e,r,i=>0-(this.#s.get([i])?.unsynced??0))}#f(e){let{checks:t,atMs:r}=e,i=t[0]?.cost??0;if(r===void 0||i>=0||t.some(a=>a.cost!==i||a.atMs!==void 0))return e;let s=this.#i.get(t)?.giveBack(0-i,r);return s===void 0?e:{...e,atMs:s}}async reset(e){this.#m();let t=this.#i.concernedBy(e),r=0;for(let s of t){s.unsynced>0&&(r+=s.checks.filter(l=>Mt(e,[l])).length);let a=s.checks.filter(l=>!Mt(e,[l]));a.length===0?this.#p(s):this.#r.report(s,a)}let i=await ou(t,()=>this.#e.reset(e));return Math.max(i,r)}async close(){this.#l=!0,this.#o.stop();for(let e of this.#i.values())this.#r.report(e);this.#i.clear(),this.#s.clear(),await this.#r.end(),await this.#e.close()}#m(){if(this.#l)throw new g("SLUICE_CLOSED","the store was closed")}#h(e,t,r){e.checks=t.checks,this.#o.begin();let i=e.unsynced,s=e.decide(t.checks,r,this.#n,this.clock.now(),2*this.#t);if(s)return 2*i<this.#n&&2*e.unsynced>=this.#n&&this.#r.sync(e),s}#y(e){let{checks:t}=e;if(t.forEach(rr),t.some(i=>this.#s.get([i])))return;let r=new na(e);for(let i of t)this.#s.set([i],r);return this.#i.set(t,r)}#p(e){this.#i.delete(e.checks);for(let t of e.checks)this.#s.delete([t])}async#w(e){e.checks.forEach(rr);let t=await this.#e.consume(e,ot);if(e.peek){let i=this.#i.get(e.checks);return Ho(t,0-(i?.unsynced??0))}let r=t.taken??Math.max(...e.checks.map(({cost:i})=>i));if(t.allowed)for(let i of this.#g(e.checks))i.passed(r);return t}#g(e){return new Set(e.flatMap(t=>this.#s.get([t])??[]))}async#k(){let e=this.#i.values();for(let t=0;t<e.length;t+=Cy)await Promise.all(e.slice(t,t+Cy).map(r=>this.#b(r)))}async#b(e){if(this.#i.get(e.checks)===e){if(!e.isUsed&&e.unsynced===0){this.#p(e);return}e.isUsed=!1,await this.#r.sync(e)}}};async function ou(n,e){for(let t of n)t.changed();try{return await e()}finally{for(let t of n)t.changed()}}o(ou,"changing");var ia=class{static{o(this,"ManualClock")}#e;#t=[];#n=[];constructor(e=Date.UTC(2026,0,1)){this.#e=e}now(){return this.#e}sleep(e,t){return new Promise((r,i)=>{if(t?.aborted)return i(t.reason);if(e<=0)return r();let s=o(()=>{this.#t=this.#t.filter(d=>d!==l),i(t?.reason)},"leave"),a=o(()=>{t?.removeEventListener("abort",s),r()},"wake"),l={wakesAtMs:this.#e+e,wake:a};t?.addEventListener("abort",s,{once:!0}),this.#t.push(l),this.#r()})}advance(e){this.set(this.#e+R(e,"by",0))}set(e){this.#e=e;let t=this.#t.filter(({wakesAtMs:r})=>r<=e).sort((r,i)=>r.wakesAtMs-i.wakesAtMs);this.#t=this.#t.filter(r=>!t.includes(r));for(let{wake:r}of t)r()}untilSleeping(e){return new Promise(t=>{this.#n.push({count:e,resolve:t}),this.#r()})}#r(){let e=o(({count:t})=>this.#t.length>=t,"isMet");for(let{resolve:t}of this.#n.filter(e))t();this.#n=this.#n.filter(t=>!e(t))}};var Ey=require("node:crypto");var E0=250;function au({policy:n,name:e,key:t,limit:r}){return oa(r.algorithm,n,e,t)}o(au,"stateKey");function ir({policy:n,name:e,key:t}){return X.map(({algorithm:r})=>oa(r,n,e,t))}o(ir,"stateKeys");function lu(n,e){return oa(n,e)}o(lu,"operationKey");function sa(n,e){return oa("blocks",n,e)}o(sa,"blockListKey");function oa(n,...e){let t=[n,...e.map(O0)].join(":");return t.length<=E0?t:`${n}:#${(0,Ey.createHash)("sha256").update(t).digest("base64url")}`}o(oa,"keyOf");function O0(n){return n.replace(/[^\w.~@-]/g,e=>{let t=e.charCodeAt(0);return t<256?`%${t.toString(16).padStart(2,"0")}`:`%u${t.toString(16).padStart(4,"0")}`})}o(O0,"escaped");function De(n){if(n===void 0)return[];try{let e=JSON.parse(n);return Array.isArray(e)?e:[]}catch{return[]}}o(De,"listIn");var Et=o(n=>typeof n=="number","isNumber");var Oy="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",x0=Math.floor(qe/Oy.length),uu=1;function yi(n,e){return sa(n,e.slice(0,1))}o(yi,"partKey");function cu(n){return[...Oy].map(e=>sa(n,e))}o(cu,"partKeys");function aa(n){return sa(n,"count")}o(aa,"countKey");function sr(n,e){n.check(du,e);let[,t]=De(n.text);return(Array.isArray(t)?t:[]).map(r=>{let[i,s,a,l,d,u]=r,c={...typeof d=="string"&&{reason:d},...typeof u=="string"&&{text:u}};return{hash:i,untilMs:He(s),by:a,strikes:l,...c}})}o(sr,"readPart");function gi(n,e,t){let r=[...e].sort((d,u)=>Ye(u)-Ye(d)),i=0,s=r.filter(({by:d})=>d==="admin"||++i<=x0),a=s.map(d=>{let{hash:u,by:c,strikes:f,reason:m=null,text:h=null}=d;return[u,Ye(d),c,f,m,h]}),l=s[0]?Math.min(Ye(s[0])-t,Ae):0;n.setText(R0(JSON.stringify([uu,a])),Math.max(0,l))}o(gi,"writePart");function Ye({untilMs:n}){return n==="forever"?Z:n}o(Ye,"endOf");function fu(n,e){n.check(s=>du(s)||/^\d+$/.test(s),e);let{text:t}=n;if(t===void 0)return{held:0,lastMs:0};if(!du(t))return{held:Number(t),lastMs:e+Ae};let[,r,i]=De(t);return{held:Number(r),lastMs:Number(i)}}o(fu,"readCount");function la(n,{held:e,lastMs:t},r){n.setText(JSON.stringify([uu,e,t]),e>0?Math.max(0,Math.min(t-r,Ae)):0)}o(la,"writeCount");function du(n){return De(n)[0]===uu}o(du,"isKnown");function R0(n){return n.replace(/[^ -~]/g,e=>`\\u${e.charCodeAt(0).toString(16).padStart(4,"0")}`)}o(R0,"inAscii");var xy=1,Ry=2,Ty=3,Ly={[xy]:2,[Ry]:4,[Ty]:5};function da(n){return Object.hasOwn(Ly,String(De(n)[0]))}o(da,"isKnownState");function Iy(n,e,t){return mu(n,L0(n.state,e),t)}o(Iy,"encodeState");function mu(n,e,t){let{blockEndsMs:r,admittedMs:i,strikes:s,heldUntilMs:a}=n;return JSON.stringify(a!==0?[Ty,r,i,s,a,t,...e]:s!==0?[Ry,r,i,s,0,...e]:[xy,r,i,...e])}o(mu,"encodeHead");function Py(n,e,t){let r=hu(n);if(!r)return;let{head:i,values:s}=r,a=s.length===0&&i.heldUntilMs!==0?t():I0(s,e,t);return a&&{...i,state:a}}o(Py,"decodeState");function hu(n){let[e,...t]=De(n),r=Ly[Number(e)]??0,i=t.slice(0,r).filter(Et);if(r===0||i.length<r)return;let{blockEndsMs:s,admittedMs:a}=or,[l=s,d=a,u=0,c=0,f]=i;return{head:{blockEndsMs:l,admittedMs:d,strikes:u,heldUntilMs:c},keptUntilMs:f,values:t.slice(r)}}o(hu,"partsOf");var or=T0(vn({}));function T0({blockEndsMs:n,admittedMs:e,strikes:t,heldUntilMs:r}){return{blockEndsMs:n,admittedMs:e,strikes:t,heldUntilMs:r}}o(T0,"headOf");function Ny(n){return hu(n)?.head}o(Ny,"headIn");function Dy({heldUntilMs:n}){return mu({...or,heldUntilMs:n},[],0)}o(Dy,"encodeHeldAlone");function By(n,e,t){let r=n===void 0?void 0:hu(n),i=r?.values??[],s=i.length===0?0:r?.keptUntilMs??t;return{text:mu(e,i,s),keptUntilMs:s}}o(By,"withHead");function L0(n,{layout:e,json:t}){if(e===void 0)return t?.encode(n)??[];let r=new Float64Array(e.length(n));return e.write(n,r,0,!1),[...r]}o(L0,"valuesOf");function I0(n,{layout:e,json:t},r){if(e===void 0)return t?.decode(n);if(!n.every(Et))return;let i=r();return e.read(i,Float64Array.from(n),0,n.length),e.length(i)===n.length?i:void 0}o(I0,"stateOf");var Xt={notAfterMs:void 0};function pu(n,e){let{targets:t,forMs:r,reason:i,text:s}=n,{policy:a}=t[0],l=Ie(t[0]),[d,u]=[yi(a,l),aa(a)],c=t.flatMap(ir);return{...Xt,keys:[...c,d,u],run(f){let{nowMs:m}=f,h=to(r,m),y=yu(f,c),k=sr(f.of(d),m),C=o(Q=>!e&&Ye(Q)<=m,"isOver"),O=k.filter(Q=>!C(Q)&&!(Q.by==="admin"&&Q.hash===l)),I=k.find(Q=>Q.by==="admin"&&Q.hash===l),ve=fu(f.of(u),m),nn=ve.held+ua(O)+1-ua(k);if(!I&&nn>qe)return!1;for(let Q of y){let Mi=Q.head??or;Q.setHead({...Mi,heldUntilMs:Math.max(Mi.heldUntilMs,h)},m,e)}if(I&&Ye(I)>=h)return!0;let rn={...i!==void 0&&{reason:i},...s!==void 0&&{text:s}};return gi(f.of(d),[...O,{hash:l,untilMs:He(h),by:"admin",strikes:0,...rn}],m),la(f.of(u),{held:Math.max(1,nn),lastMs:Math.max(ve.lastMs,h)},m),!0}}}o(pu,"blockOperation");function yu(n,e){let t=e.map(r=>n.of(r));for(let r of t)r.check(da,n.nowMs);return t}o(yu,"openStates");function jy(n,e){let t=n.flatMap(ir),r=gu(n[0]);return{...Xt,keys:[...t,...r.keys],run(i){let{nowMs:s}=i,a=!1;for(let l of yu(i,t)){let{head:d}=l;!d||d.blockEndsMs===0&&d.strikes===0&&d.heldUntilMs===0||(a||=d.blockEndsMs>s||d.heldUntilMs>s,l.setHead({...or,admittedMs:d.admittedMs},s,e))}return r.run(i),a}}}o(jy,"unblockOperation");function gu(n){let{policy:e}=n,t=Ie(n),[r,i]=[yi(e,t),aa(e)];return{...Xt,keys:[r,i],run(s){let{nowMs:a}=s,l=sr(s.of(r),a),d=l.filter(m=>m.hash!==t);if(d.length===l.length)return;gi(s.of(r),d,a);let u=ua(l)-ua(d);if(u===0)return;let{held:c,lastMs:f}=fu(s.of(i),a);la(s.of(i),{held:Math.max(0,c-u),lastMs:f},a)}}}o(gu,"unlistOperation");function Uy(n){let e=n.flatMap(ir),{policy:t}=n[0],r=Ie(n[0]),i=yi(t,r);return{...Xt,keys:[...e,i],run(s){let a=yu(s,e).map(({head:d})=>d??or),l=sr(s.of(i),s.nowMs).find(d=>d.by==="admin"&&d.hash===r);return Zt(a,s.nowMs,l?.reason)}}}o(Uy,"findOperation");function Fy({policy:n,hash:e,untilMs:t,strikes:r}){let i=yi(n,e);return{...Xt,keys:[i],run(s){let{nowMs:a}=s,l=sr(s.of(i),a).filter(d=>d.by==="admin"||d.hash!==e&&Ye(d)>a);gi(s.of(i),[...l,{hash:e,untilMs:t,by:"limit",strikes:r}],a)}}}o(Fy,"begunOperation");function Wy(n){let e=cu(n);return{...Xt,keys:e,run:o(t=>e.flatMap(r=>Ky(t,r)),"run")}}o(Wy,"listOperation");function _y(n){let e=cu(n),t=aa(n);return{...Xt,keys:[...e,t],run(r){let{nowMs:i}=r,s=e.map(l=>Ky(r,l));for(let[l,d]of e.entries())gi(r.of(d),s[l]??[],i);let a=s.flat().filter(({by:l})=>l==="admin");la(r.of(t),{held:a.length,lastMs:Math.max(0,...a.map(Ye))},i)}}}o(_y,"sweepOperation");function Ky(n,e){return sr(n.of(e),n.nowMs).filter(t=>Ye(t)>n.nowMs)}o(Ky,"current");function ua(n){return n.filter(({by:e})=>e==="admin").length}o(ua,"ofAdmins");var ca=class{static{o(this,"CompareAndSwapBlocks")}#e;#t;#n=new Set;constructor(e,t){this.#e=e,this.#t=t}async block(e){let[t]=e.targets;if(!(!t||await this.#e(pu(e,this.#t)))&&(await this.#e(_y(t.policy)),!await this.#e(pu(e,this.#t))))throw Qt(t.policy)}async unblock(e){return e.length>0&&this.#e(jy(e,this.#t))}async find(e){return e.length>0?this.#e(Uy(e)):void 0}async list(e,t){return await Promise.all(this.#n),eo(await this.#e(Wy(e)),t)}begun(e){this.#r(Fy(e))}forget(e){let t=new Map(e.map(r=>[`${r.policy}
${r.key}`,r]));for(let r of t.values())this.#r(gu(r))}#r(e){let t=this.#e(e).catch(()=>{}).finally(()=>this.#n.delete(t));this.#n.add(t)}};var fa=class{static{o(this,"KeyQueue")}#e;#t;#n=new Map;#r=[];#i=new Set;constructor(e,t){this.#e=e,this.#t=t}add(e){return new Promise((t,r)=>{this.#s([P0(e,t,r)])})}async ended(){for(;this.#i.size>0;)await Promise.all(this.#i)}#s(e){let t=0;for(;t<e.length&&this.#i.size<this.#e;){let r=[];for(;t<e.length&&r.length<100;t+=1){let i=e[t],s=this.#l(i);s?s.push(i):r.push(i)}r.length>0&&this.#o(r)}for(;t<e.length;t+=1)this.#r.push(e[t])}#o(e){let t=new Set(e.flatMap(i=>i.keys));for(let i of t)this.#n.set(i,[]);let r=this.#t(e).then(()=>{this.#i.delete(r),this.#a(t)});this.#i.add(r)}#a(e){let t=this.#r;this.#r=[];for(let r of e){for(let i of this.#n.get(r)??[])t.push(i);this.#n.delete(r)}this.#s(t)}#l({keys:e}){for(let t of e){let r=this.#n.get(t);if(r)return r}}};function P0(n,e,t){return{keys:n.keys,notAfterMs:n.notAfterMs,attempt(r){try{let i=n.run(r);return()=>e(i)}catch(i){return()=>t(i)}},fail:t}}o(P0,"waitingFor");var Vy=400*864e5,ku=class{static{o(this,"OpenEntry")}#e;#t;#n;#r=!1;#i=!1;#s;#o=0;#a;constructor(e,t){this.#e=e,this.#t=t}get version(){return this.#t?.version}isWrittenBy(e){return this.version!==void 0&&this.version===e.#a}get text(){return this.#i?this.#o>0?this.#s?.():void 0:this.#t?.value}check(e,t){if(this.#t&&!e(this.#t.value))throw kt(t)}get head(){let{text:e}=this;return e===void 0?void 0:Ny(e)}setHead(e,t,r){let i=t+Math.min(this.#t?.forMs??Vy,Vy),{text:s,keptUntilMs:a}=By(this.text,e,i),l=e.heldUntilMs===Z?Ae:e.heldUntilMs-t,d=r&&a>0?1:0;this.#r=!1,this.#l(()=>s,Math.max(d,l,a-t))}state(e,t){if(!this.#r){let{text:r}=this;this.#n=r===void 0?void 0:Py(r,e,t)}return this.#r=!0,this.#n}setState(e,t,r){let i=vn({});if(e.writeTo(i),e.keptMs===0&&i.heldUntilMs!==0){this.#r=!1,this.#l(()=>Dy(i),Math.max(1,e.heldMs));return}this.#r=!0,this.#n=e.keptMs>0?i:void 0;let{keptMs:s,heldMs:a}=e;this.#l(()=>Iy(i,t,r+s),Math.max(s,a))}setText(e,t){this.#l(()=>e,t)}#l(e,t){this.#i=!0,this.#s=e,this.#o=t}swap(e){let t=this.#t?.version,r=this.#o>0;if(!(!this.#i||t===void 0&&!r))return{key:this.#e,was:t,next:r?this.#d(e):void 0}}#d(e){return this.#a=_(),{version:this.#a,value:this.#s?.()??"",forMs:Math.max(this.#o,e)}}},ma=class{static{o(this,"OpenEntries")}nowMs;#e=new Map;constructor(e,t,r){this.nowMs=e;for(let[i,s]of t.entries())this.#e.set(s,new ku(s,r[i]))}of(e){return this.#e.get(e)}differsFrom(e,t){return t.some(r=>this.of(r).version!==e.of(r).version)}areWrittenBy(e){return[...this.#e].some(([t,r])=>r.isWrittenBy(e.of(t)))}swaps(e){return[...this.#e.values()].map(t=>t.swap(e)).filter(t=>t!==void 0)}};var ar=1;function wu(n){return De(n)[0]===ar}o(wu,"isKnownOperation");function $y({reply:n,attempt:e},t){let{atMs:r,allowed:i,taken:s,verdicts:a}=n,l=a.map(N0),d=e===void 0?[]:[e];return JSON.stringify([ar,t,r,Number(i),s??null,l,...d])}o($y,"encodeRecord");function N0(n){let{allowed:e,remaining:t,used:r,resetAfterMs:i,retryAfterMs:s,delayMs:a,overQuota:l=0,blocked:d,shadow:u}=n,c=[Number(e),t,r,i,s,a];return u?[...c,l,+(d===!0),1]:d?[...c,l,1]:l>0?[...c,l]:c}o(N0,"rowOf");function Gy(n,e,t){let[r,i,s,a,l,d,u]=De(n);if(r!==ar||!Et(i)||t>=i||!Et(s)||!Array.isArray(d)||d.length!==e.length)return;let c=e.map((h,y)=>D0(d[y],h,a===1)),f=typeof u=="string"?u:void 0;return{reply:{atMs:s,allowed:a===1,verdicts:c,...Et(l)&&{taken:l},...f!==void 0&&{attempt:f}},attempt:f}}o(Gy,"decodeRecord");function D0(n,e,t){let[r,i,s,a,l,d,u=0,c=0,f=0]=n,m={allowed:r===1,remaining:i,used:s,resetAfterMs:a,retryAfterMs:l,delayMs:d,overQuota:u};return z($t(e,f===1||t&&r!==1),c===1?{...m,blocked:!0}:m)}o(D0,"verdictIn");function qy(n,e){return JSON.stringify(n==="repeated"?[ar,e]:[ar,e,n])}o(qy,"encodeMade");function Hy(n,e){let[t,r,i]=De(n);if(!(t!==ar||!Et(r)||e>=r))return i==="given-back"?i:"repeated"}o(Hy,"madeIn");function zy(n){let{checks:e,attempt:t,holdMs:r=0,peek:i,notAfterMs:s}=n,a=e.map(au),l=ee(n)?lu("ask",n.id):void 0;return{keys:l===void 0?a:[...a,l],notAfterMs:s,run(d){let{nowMs:u}=d;if(s!==void 0&&u>s)throw qt(u);let c=l===void 0?void 0:d.of(l);c?.check(wu,u);let f=c?.text===void 0?void 0:Gy(c.text,e,u);if(f&&As(f,n,o((k,C,O)=>ha(k,d.of(a[C]),u).limitState.holdsSlot(O),"holdsSlot")))return{reply:Cs(f,u)};if(On(e,u))return{reply:{atMs:u,allowed:!1,verdicts:[],outsideCalendarBounds:!0}};let h=B0(n,a,d);if(!c)return h;let y=t===void 0?h.reply:{...h.reply,attempt:t};return i||c.setText($y({reply:y,attempt:t},u+r),r),{...h,reply:y}}}}o(zy,"consumeOperation");function Yy(n){let{checks:e,id:t,notAfterMs:r}=n,i=e.map(au),s=t===void 0?void 0:lu("change",t);return{keys:s===void 0?i:[...i,s],notAfterMs:r,run(a){let{nowMs:l}=a;if(On(e,l))return{atMs:l,result:"outside-calendar-bounds",verdicts:[]};let d=s===void 0?void 0:a.of(s);d?.check(wu,l);let u=r!==void 0&&l>r,c=d?.text===void 0?void 0:Hy(d.text,l),f=u?"expired":c;if(f){let m=e.map((y,k)=>ha(y,a.of(i[k]),l)),h=Jy(e,m);return{atMs:l,result:f,verdicts:h}}return U0(n,i,a,d)}}}o(Yy,"adjustOperation");function B0(n,e,t){let{checks:r,atLeast:i,peek:s,renew:a}=n,{nowMs:l}=t,d=r.map((y,k)=>ha(y,t.of(e[k]),l));Zy(n,d);let u=d.every(y=>y.allowed||y.isShadow),c=i===void 0?void 0:Ms(d,i);if(s!==!0){let y=u&&!s||a!==void 0,k=ue(n);for(let[C,O]of d.entries())O.record(O.unitsFor(n,y,c),y,k)&&t.of(e[C]).setState(O.limitState,U(O.limit).kernel,l)}let f=Qy(r,d),m={atMs:l,allowed:u,verdicts:f},h=d.flatMap((y,k)=>j0(y,r[k]));return{reply:c===void 0?m:{...m,taken:u?c:0},...h.length>0&&{begun:h}}}o(B0,"decide");function j0({limitState:n,isShadow:e},t){let r=n.hasBegunBlock&&!e?n.ownBlock:void 0;return r?[{policy:t.policy,hash:Ie(t),...r}]:[]}o(j0,"begunBlock");function U0(n,e,t,r){let{checks:i,givesBack:s}=n,{nowMs:a}=t,l=!1,d=0,u=i.map((f,m)=>ha(f,t.of(e[m]),a));for(let[f,{limitState:m}]of u.entries()){let h=i[f];d=Math.max(d,m.keptMs);let y=Ss(m,h,n);(y||m.isCorrected)&&t.of(e[f]).setState(m,U(h.limit).kernel,a),l||=y,d=Math.max(d,m.keptMs)}let c=Es(n,d,a);return c>0&&r?.setText(qy(s?"given-back":"repeated",a+c),c),{atMs:a,result:l?"applied":"expired",verdicts:Jy(i,u)}}o(U0,"correct");function ha(n,e,t){let{limit:r}=n,{kernel:i}=U(r);e.check(da,t);let s=new En;return s.begin(n,t),s.readState(i,e.state(i,()=>i.fresh(r,t))),s}o(ha,"evaluationOf");function Zy(n,e){let{checks:t,atLeast:r,renew:i}=n,s=ue(n);for(let[a,l]of e.entries()){let d=t[a]?.lend===void 0?void 0:Fr(n,a,e),u=r??l.cost;d?.keepFree(),l.judge(u,s,i),d?.grant(u,s)}}o(Zy,"judgeAll");function Qy(n,e){return n.map((t,r)=>{let{lend:i}=t;return z(t,i===void 0?e[r]:new Vt(e,r,i))})}o(Qy,"verdictsOf");function Jy(n,e){for(let r of e)r.cost=1;let t=nt(n);return Zy({checks:t},e),Qy(t,e)}o(Jy,"unitVerdicts");var F0=["name","timeout","instances","attempts","parallel","trouble","keyspace","clock"],W0=6e5,Xy=3,_0=10,lr=10;function Mu(n,e={}){for(let t of["read","swap","delete"])if(typeof n?.[t]!="function")throw p("backend","must have the methods read, swap and delete",n);return E(e,F0),new bu(n,e)}o(Mu,"compareAndSwapStore");var bu=class{static{o(this,"CompareAndSwapStore")}async=!0;name;clock;supports={atomicAcrossKeys:!0};remote;keyspaces;blocks;#e;#t;#n;#r;#i;#s=new Set;#o;constructor(e,t){let{name:r="store",clock:i,timeout:s=100,instances:a=1,attempts:l=50,parallel:d,trouble:u,keyspace:c}=t;this.name=J(r,"name"),this.#e=e,this.#n=i,this.#t=v(l,"attempts",1,1e3);let f=d===void 0?Number.POSITIVE_INFINITY:v(d,"parallel",1);this.#r=new fa(f,m=>this.#d(m)),this.#i=new ca(async m=>(this.#l(),this.#r.add(m)),i!==void 0),this.blocks=this.#i,this.clock=Ut(i),this.keyspaces=[c??new ke(e)],this.remote={timeoutMs:lt(s,"timeout",lr),instances:v(a,"instances",1),...u&&{trouble:u}}}async consume(e){this.#l(),rg(e.atLeast??0,"atLeast");for(let i of e.checks)ng(i),Kt(i.limit,i.name,e);let{reply:t,begun:r}=await this.#r.add(zy(e));if(r)for(let i of r)this.#i.begun(i);return t}async adjust(e){this.#l();for(let t of e.checks)ng(t);return this.#r.add(Yy(e))}async reset(e){this.#l();let t=new Set(e.flatMap(ir));if(t.size===0)return 0;let r=this.#e.delete([...t]);this.#s.add(r);try{let i=await r;return this.#i.forget(e),i}finally{this.#s.delete(r)}}close(){return this.#o??=this.#a(),this.#o}async#a(){this.keyspaces[0].close();let e=new AbortController,t=K.sleep(this.remote.timeoutMs,e.signal).catch(()=>{});await Promise.race([Promise.all([this.#r.ended(),Promise.allSettled(this.#s)]),t]),e.abort(),await this.#e.close?.()}#l(){if(this.#o)throw new g("SLUICE_CLOSED","the store was closed")}async#d(e,t=0){try{await this.#u(e,t)}catch(r){for(let i of e)i.fail(r)}}async#u(e,t){let r=[...new Set(e.flatMap(a=>a.keys))],i,s=[];for(let a=t;a<this.#t;a+=1){a>=Xy&&await K.sleep(Math.min(a-Xy+1,_0));let{atMs:l,entries:d}=await this.#c(this.#e.read(r)),u=new ma(this.#n?.now()??l??this.clock.now(),r,d);if(i&&u.areWrittenBy(i))return eg(s);let c=i===void 0?[]:K0(e,u,i);if(c.length>0&&c.length<e.length){let m=e.filter(h=>!c.includes(h));return await this.#d(m,a),this.#d(c,a)}s=e.map(m=>m.attempt(u));let f=u.swaps(this.#n?W0:1);if(f.length===0||await this.#c(this.#e.swap(f,this.#f(e,u.nowMs))))return eg(s);i=u}throw new g("SLUICE_STORE",`other instances changed ${r[0]} ${this.#t} times in a row: spread its load over several keys, or raise attempts`)}#c(e){let t=lr*this.remote.timeoutMs;return Sn(t,e,()=>Qr(this.remote),{unref:!0})}#f(e,t){if(this.#n)return;let r;for(let{notAfterMs:i}of e)i!==void 0&&i>=t&&(r=Math.min(i,r??i));return r}};function eg(n){for(let e of n)e()}o(eg,"report");function K0(n,e,t){return n.filter(({keys:r})=>e.differsFrom(t,r))}o(K0,"contestedOf");var tg=new WeakSet;function ng({limit:n,cost:e}){if(rg(e,"a cost"),!tg.has(n)){if(!Xe(n.algorithm))throw new g("SLUICE_UNSUPPORTED",`no store supports the algorithm ${G(n.algorithm)}`);tg.add(Ke(n,"limit"))}}o(ng,"checkCheck");function rg(n,e){if(!Number.isSafeInteger(n))throw new g("SLUICE_COST",`${e} must be a safe integer, got ${n}`)}o(rg,"checkUnits");var V0=Uint16Array.from({length:256},(n,e)=>{let t=e<<8;for(let r=0;r<8;r+=1)t=t&32768?t<<1^4129:t<<1;return t});function ig(n){let e=0;for(let t=0;t<n.length;t+=1){let r=n.charCodeAt(t);if(r>127)return $0(Buffer.from(n));e=sg(e,r)}return e%16384}o(ig,"hashSlot");function $0(n){let e=0;for(let t of n)e=sg(e,t);return e%16384}o($0,"slotOf");function sg(n,e){return n<<8&65535^V0[(n>>8^e)&255]}o(sg,"next");var G0=1e3,pa=class{static{o(this,"ClusterPlacement")}#e;#t;#n;#r=Number.NEGATIVE_INFINITY;constructor(e,t){this.#e=e,this.#t=t,this.#n=/^[^{]*\{([^}]+)\}/.exec(String(e.options?.keyPrefix??""))?.[1]}groupOf=o(e=>this.#t.tag(e),"groupOf");nodeOf=o(e=>this.#e.slots?.[ig(this.#n??this.#t.tag(e))]?.[0],"nodeOf");refresh=o(()=>{let e=x();e<this.#r+G0||this.#e.status!=="ready"||(this.#r=e,this.#e.refreshSlotsCache?.())},"refresh")};function Be(n){let e=Math.floor(n/og),t=n-e*og;return String.fromCharCode(t&15,t>>>8&15,t>>>16&15,t>>>24&15,e>>>4&15,e>>>12&15,e>>>20&15,t>>>4&15,t>>>12&15,t>>>20&15,e&15,e>>>8&15,e>>>16&15,e>>>24&15)}o(Be,"packedNumber");var og=2**28;var dr={"plain-bucket":`local function plainBucket(text, quota, refillUnits, periodMs, immediate, cost, margin, spends, nowMs)
local floor, ceil = math.floor, math.ceil
local full = quota * periodMs
local before, rate = full, refillUnits + 1
if rate < 65536 and quota > 0 and quota <= 2147483647 then rate = -(quota * 65536 + rate) elseif rate >= 1000000000000 then rate = 0 end
if text then
if #text ~= 26 then return nil end
local version, ownPeriodMs, ownRate, units, timeMs = struct.unpack('<Bi6i6i7i6', text)
if version ~= 1 or ownPeriodMs ~= periodMs or ownRate ~= rate or timeMs > nowMs or units > full or units < -full then return nil end
before = units + (nowMs - timeMs) * refillUnits
if before > full then before = full end
end
local free, now = floor(before / periodMs), before
local isAdmitted = cost <= quota and cost <= free + margin
local isSpent = isAdmitted and spends
if isSpent then free, now = free - cost, before - cost * periodMs end
local needed, resetAfterMs, retryAfterMs, delayMs = cost, 0, 0, 0
if margin < 0 then needed = cost - margin end
if free < quota then resetAfterMs = ceil((full - now) / refillUnits) end
if needed > quota then retryAfterMs = -1 elseif needed > free then retryAfterMs = ceil((needed * periodMs - now) / refillUnits) end
if isSpent then text = struct.pack('<Bi6i6i7i6', 1, periodMs, rate, now, nowMs) end
if immediate >= 0 and isAdmitted then delayMs = math.max(0, ceil(((quota - immediate) * periodMs - before) / refillUnits)) end
return isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, text
end`,"plain-counter":`local function plainCounter(text, quota, windowMs, _, _, cost, margin, spends, nowMs)
local floor, min = math.floor, math.min
local startMs, previous, current = nowMs - nowMs % windowMs, 0, 0
if text then
if #text ~= 21 then return nil end
local version, ownStartMs, ownPrevious, ownCurrent = struct.unpack('<Bi6i7i7', text)
if version ~= 1 or ownStartMs > startMs then return nil end
if ownStartMs == startMs then
previous, current = ownPrevious, ownCurrent
elseif ownStartMs + windowMs == startMs then
previous = ownCurrent
elseif ownStartMs + windowMs > startMs then
return nil
end
end
local restMs, most = windowMs - (nowMs - startMs), 2 * quota
local overlapping = floor((min(previous, most) * restMs) / windowMs)
local free = quota - current - overlapping
local isAdmitted = cost <= quota and cost <= free + margin
if isAdmitted and spends then
if current + cost > most then return nil end
current, free = current + cost, free - cost
text = struct.pack('<Bi6i7i7', 1, startMs, previous, current)
end
local needed, resetAfterMs, retryAfterMs = cost, 0, 0
if margin < 0 then needed = cost - margin end
previous = min(previous, most)
if free < quota then
if current == 0 then
resetAfterMs = floor((windowMs * previous - windowMs) / previous) + 1 - (nowMs - startMs)
else
local counted = min(current, most)
resetAfterMs = restMs + floor((windowMs * counted - windowMs) / counted) + 1
end
end
if needed > quota then
retryAfterMs = -1
elseif needed > free then
local room, counted = quota - current - needed, previous
retryAfterMs = startMs - nowMs
if room < 0 then room, counted, retryAfterMs = quota - needed, min(current, most), restMs end
retryAfterMs = retryAfterMs + floor((windowMs * counted - (room + 1) * windowMs) / counted) + 1
end
return isAdmitted, free, resetAfterMs, retryAfterMs, 0, text, nil, resetAfterMs
end`,"plain-fixed-window":`local function plainFixedWindow(text, quota, windowMs, fromFirst, _, cost, margin, spends, nowMs)
local isFromFirst = fromFirst == 1
local startMs = isFromFirst and nowMs or nowMs - nowMs % windowMs
local endMs, count, isKept = startMs + windowMs, 0, false
if text then
if #text ~= 21 then return nil end
local version, ownStartMs, lengthMs, ownCount = struct.unpack('<Bi6i7i7', text)
if version ~= 1 or ownStartMs > startMs or ownCount == 0 then return nil end
local ownEndMs, isOver = endMs, ownStartMs < startMs
if isFromFirst then
ownEndMs = ownStartMs + windowMs
isOver = nowMs >= ownEndMs
end
if not isOver then
isKept = ownStartMs == ownEndMs - lengthMs
startMs, endMs, count = ownStartMs, ownEndMs, ownCount
end
end
local isAdmitted, at, forMs = cost <= quota and count + cost <= quota + margin, nil, nil
if isAdmitted and spends then
count = count + cost
if isKept then
at, text = '14', struct.pack('<i7', count)
else
text, forMs = struct.pack('<Bi6i7i7', 1, startMs, endMs - startMs, count), endMs - nowMs
end
end
local free, needed, retryAfterMs = quota - count, cost, 0
if margin < 0 then needed = cost - margin end
if needed > quota then retryAfterMs = -1 elseif needed > free then retryAfterMs = endMs - nowMs end
return isAdmitted, free, count == 0 and 0 or endMs - nowMs, retryAfterMs, 0, text, at, forMs
end`,"plain-sliding":`local function plainSliding(text, quota, windowMs, subWindowMs, _, cost, margin, spends, nowMs)
local ending, needed = nowMs - nowMs % subWindowMs + subWindowMs - 1, cost
if margin < 0 then needed = cost - margin end
if not text and spends and cost <= quota and cost + needed <= quota then
local resetAfterMs = ending + windowMs - nowMs
text = struct.pack('<Bi7i7i6i6i7i7', 1, subWindowMs, windowMs, ending, ending, cost, cost)
return true, quota - cost, resetAfterMs, 0, 0, text, nil, resetAfterMs
end
local ends, counts, count, used, first = {}, {}, 0, 0, 1
if text then
if #text < 41 then return nil end
local version, ownSubWindowMs, ownWindowMs, oldest, newest, recorded, newestUnits = struct.unpack('<Bi7i7i6i6i7i7', text)
if version ~= 1 or newest > ending or ownSubWindowMs ~= subWindowMs or ownWindowMs ~= windowMs or newestUnits <= 0 then return nil end
if newest == ending and nowMs < oldest + windowMs then
if spends then recorded = recorded + cost end
if recorded + needed <= quota then
text = spends and struct.pack('<i7i7', recorded, newestUnits + cost)
return true, quota - recorded, ending + windowMs - nowMs, 0, 0, text, '27', nil
end
end
if #text > 41 then
local isRead, list = pcall(cmsgpack.unpack, string.sub(text, 41 + 1))
if not isRead or type(list) ~= 'table' then return nil end
local last = 0
for i = 1, #list, 2 do
local distance, units = list[i], list[i + 1]
if type(distance) ~= 'number' or type(units) ~= 'number' then return nil end
last, count = last + distance, count + 1
ends[count], counts[count], used = last, units, used + units
end
end
count = count + 1
ends[count], counts[count], used = newest, newestUnits, used + newestUnits
while first <= count and nowMs >= ends[first] + windowMs do
used, first = used - counts[first], first + 1
end
end
local isAdmitted, at, forMs = cost <= quota and used + cost <= quota + margin, nil, nil
if isAdmitted and spends then
local isSame = ends[count] == ending
if used + cost > 2 * quota or (not isSame and count - first >= math.floor(windowMs / subWindowMs)) then return nil end
if isSame then
counts[count] = counts[count] + cost
else
count = count + 1
ends[count], counts[count] = ending, cost
end
used = used + cost
if isSame and first == 1 then
at, text = '27', struct.pack('<i7i7', used, counts[count])
else
local list, length, last = {}, 0, 0
for i = first, count - 1 do
list[length + 1], list[length + 2] = ends[i] - last, counts[i]
last, length = ends[i], length + 2
end
forMs = ending + windowMs - nowMs
text = struct.pack('<Bi7i7i6i6i7i7', 1, subWindowMs, windowMs, ends[first], ending, used, counts[count])
if length > 0 then text = text .. cmsgpack.pack(list) end
end
end
local free, resetAfterMs, retryAfterMs = quota - used, 0, 0
if used > 0 then resetAfterMs = ends[count] + windowMs - nowMs end
if needed > quota then
retryAfterMs = -1
else
local left = used
while left + needed > quota do
left, retryAfterMs = left - counts[first], ends[first] + windowMs - nowMs
first = first + 1
end
end
return isAdmitted, free, resetAfterMs, retryAfterMs, 0, text, at, forMs
end`,concurrency:`kernels['concurrency'] = function()
local function splice(list, from, count)
for i = from + 1, #list do list[i] = list[i + count] end
end
local function fresh()
return { ids = {  }, ends = {  } }
end
local function isAhead(state, limit, nowMs)
local ends = state.ends
local count = #ends
for i = 0, count - 1 do
if (ends[i + 1] > (nowMs + limit.leaseMs)) then
return true
end
end
return false
end
local function normalize(state, limit, nowMs)
if not isAhead(state, limit, nowMs) then
return state
end
local now = { ids = {  }, ends = {  } }
local count = #state.ends
for i = 0, count - 1 do
now.ids[#now.ids + 1] = state.ids[i + 1]
now.ends[#now.ends + 1] = min(state.ends[i + 1], (nowMs + limit.leaseMs))
end
return now
end
local function available(state, limit, nowMs)
local free = limit.quota
local count = #state.ends
for i = 0, count - 1 do
if (state.ends[i + 1] > nowMs) then
free = free - 1
end
end
return free
end
local function liveEnds(state, nowMs)
local live = {  }
local count = #state.ends
for i = 0, count - 1 do
local endMs = state.ends[i + 1]
if (endMs > nowMs) then
live[#live + 1] = endMs
end
end
return live
end
local function waitMs(state, limit, units, nowMs)
if (units > limit.quota) then
return -1
end
local ends = liveEnds(state, nowMs)
local toEnd = ((#ends + units) - limit.quota)
if (toEnd <= 0) then
return 0
end
table.sort(ends)
return (ends[toEnd] - nowMs)
end
local function holds(state, id, nowMs)
local count = #state.ids
for i = 0, count - 1 do
if (state.ids[i + 1] == id) then
return (state.ends[i + 1] > nowMs)
end
end
return false
end
local function free(state, id, endedMs)
local ids, ends = state.ids, state.ends
local count = #ids
local kept = 0
for i = 0, count - 1 do
local endMs = ends[i + 1]
if ((ids[i + 1] ~= id) and (endMs > endedMs)) then
ids[kept + 1] = ids[i + 1]
ends[kept + 1] = endMs
kept = kept + 1
end
end
splice(ids, kept, (count - kept))
splice(ends, kept, (count - kept))
end
local function spend(state, limit, _units, nowMs, id)
free(state, id, nowMs)
if (id ~= nil) then
state.ids[#state.ids + 1] = id
state.ends[#state.ends + 1] = (nowMs + limit.leaseMs)
end
end
local function refund(state, _limit, back, nowMs)
local id = back.id
if ((id == nil) or not holds(state, id, nowMs)) then
return false
end
free(state, id, 0)
return true
end
return {
layout = '<B',
bytes = 1,
decode = function(text, first)
local list, ids, ends = cmsgpack.unpack(string.sub(text, first)), {}, {}
for i = 1, #list, 2 do ids[#ids + 1], ends[#ends + 1] = list[i], list[i + 1] + 0 end
return { ids = ids, ends = ends }
end,
encode = function() end,
rest = function(state)
local list = {}
for i, id in ipairs(state.ids) do list[2 * i - 1], list[2 * i] = id, state.ends[i] end
return cmsgpack.pack(list)
end,
fresh = fresh,
isAhead = isAhead,
normalize = normalize,
available = available,
waitMs = waitMs,
holds = holds,
spend = spend,
refund = refund,
}
end`,"fixed-window":`kernels['fixed-window'] = function()
local function latestStartMs(limit, nowMs, interval)
if (interval ~= nil) then
return interval.startMs
end
if (limit.align == 'clock') then
return (floor((nowMs / limit.windowMs)) * limit.windowMs)
else
return nowMs
end
end
local function fresh(limit, nowMs)
local startMs = latestStartMs(limit, nowMs, nil)
return { startMs = startMs, endMs = (startMs + limit.windowMs), count = 0 }
end
local function isAhead(state, limit, nowMs, interval)
return (state.startMs > latestStartMs(limit, nowMs, interval))
end
local function normalize(state, limit, nowMs, interval)
local startMs, count = state.startMs, state.count
local latestMs = latestStartMs(limit, nowMs, interval)
local latestEndMs
if (interval == nil) then
latestEndMs = (latestMs + limit.windowMs)
else
latestEndMs = interval.endMs
end
if (startMs > latestMs) then
return { startMs = latestMs, endMs = latestEndMs, count = count }
end
local isFromFirst = (limit.align == 'first-request')
local endMs
if isFromFirst then
endMs = (startMs + limit.windowMs)
else
endMs = latestEndMs
end
local isOver
if isFromFirst then
isOver = ((nowMs >= endMs) or (count == 0))
else
isOver = (startMs < latestMs)
end
if isOver then
return { startMs = latestMs, endMs = latestEndMs, count = 0 }
end
if (endMs == state.endMs) then
return state
else
return { startMs = startMs, endMs = endMs, count = count }
end
end
local function available(state, limit)
return (limit.quota - state.count)
end
local function waitMs(state, limit, units, nowMs)
if (units > limit.quota) then
return -1
end
if ((state.count + units) <= limit.quota) then
return 0
else
return (state.endMs - nowMs)
end
end
local function spend(state, limit, units)
state.count = state.count + min(units, max(0, ((2 * limit.quota) - state.count)))
end
local function refund(state, _limit, back)
local units, atMs = back.units, back.atMs
if ((state.count == 0) or ((atMs ~= nil) and (atMs < state.startMs))) then
return false
end
state.count = max(0, (state.count - units))
return true
end
return {
layout = '<Bi6i7i7',
bytes = 21,
decode = function(_, startMs, lengthMs, count)
local endMs = startMs + lengthMs
return { startMs = startMs, endMs = endMs, count = count, keptUntilMs = count > 0 and endMs }
end,
encode = function(state)
return state.startMs, state.endMs - state.startMs, state.count
end,
fresh = fresh,
isAhead = isAhead,
normalize = normalize,
available = available,
waitMs = waitMs,
spend = spend,
refund = refund,
}
end`,bucket:`local function decodeBucket(_, m, rate, units, timeMs)
local level, n, capacity = floor(units / m), -1, 0
if rate > 0 and rate < 1000000000000 then n = rate - 1 end
if rate < 0 then
capacity = floor(-rate / 65536)
n = -rate - capacity * 65536 - 1
end
return { level = level, part = units - level * m, refillUnits = n, refillPeriodMs = m, capacity = capacity, timeMs = timeMs }
end
local function encodeBucket(state)
local m, rate = state.refillPeriodMs, state.refillUnits + 1
if state.capacity > 0 then rate = -(state.capacity * 65536 + rate) end
return m, rate, state.level * m + state.part, state.timeMs
end`,"leaky-bucket":`kernels['leaky-bucket'] = function()
local function knownUnits(limit)
if (limit.refillUnits <= 999999999998) then
return limit.refillUnits
else
return (-1)
end
end
local function fullBucket(limit, nowMs)
local quota, refillPeriodMs = limit.quota, limit.refillPeriodMs
return { level = quota, part = 0, refillUnits = knownUnits(limit), refillPeriodMs = refillPeriodMs, capacity = 0, timeMs = nowMs }
end
local function isBucketAhead(state, _limit, nowMs)
return (state.timeMs > nowMs)
end
local function refillAtOldRate(now, old, limit, nowMs)
local refillUnits, refillPeriodMs = old.refillUnits, old.refillPeriodMs
local elapsedMs = (nowMs - now.timeMs)
if (limit.byInterval == true) then
local periods = floor((elapsedMs / refillPeriodMs))
now.level = now.level + (periods * refillUnits)
now.timeMs = now.timeMs + (periods * refillPeriodMs)
return
end
local parts = (((old.level * refillPeriodMs) + old.part) + (elapsedMs * refillUnits))
now.level = floor((parts / refillPeriodMs))
now.part = (parts - (now.level * refillPeriodMs))
now.timeMs = nowMs
end
local function knownCapacity(limit)
local quota, refillUnits = limit.quota, limit.refillUnits
if ((quota <= 2147483647) and (refillUnits <= 65534)) then
return quota
else
return 0
end
end
local function bucketAt(state, limit, nowMs)
local quota, refillPeriodMs = limit.quota, limit.refillPeriodMs
local isKnown = (state.refillUnits ~= (-1))
local isSamePeriod = (state.refillPeriodMs == refillPeriodMs)
local isSame = (isSamePeriod and (not isKnown or (state.refillUnits == knownUnits(limit))))
if (((isSame and (state.timeMs <= nowMs)) and (state.level <= quota)) and (state.level >= -quota)) then
return state
end
local level, part, refillUnits, capacity = state.level, state.part, state.refillUnits, state.capacity
local now = { level = level, part = part, refillUnits = refillUnits, refillPeriodMs = refillPeriodMs, capacity = capacity, timeMs = min(state.timeMs, nowMs) }
if not isSame then
now.refillUnits = knownUnits(limit)
if isKnown then
refillAtOldRate(now, state, limit, nowMs)
end
if ((now.level >= capacity) or (knownCapacity(limit) == 0)) then
now.capacity = 0
end
end
now.level = max(-quota, min(quota, now.level))
if not isSamePeriod then
now.part = 0
end
return now
end
local function held(state, limit, capacity, nowMs)
local refillUnits, refillPeriodMs = limit.refillUnits, limit.refillPeriodMs
return min((capacity * refillPeriodMs), (((state.level * refillPeriodMs) + state.part) + ((nowMs - state.timeMs) * refillUnits)))
end
local function bucketFree(state, limit, nowMs)
return floor((held(state, limit, limit.quota, nowMs) / limit.refillPeriodMs))
end
local function delayAt(content, limit)
local immediate
if (limit.immediate == nil) then
immediate = 0
else
immediate = limit.immediate
end
local units = (((limit.quota - immediate) * limit.refillPeriodMs) - content)
if (units <= 0) then
return 0
else
return ceil((units / limit.refillUnits))
end
end
local function delayMs(state, limit, nowMs)
return delayAt(held(state, limit, limit.quota, nowMs), limit)
end
local function bucketUntilMs(state, limit, capacity, units, nowMs)
if (units > capacity) then
return -1
end
local missing = ((units * limit.refillPeriodMs) - held(state, limit, capacity, nowMs))
if (missing <= 0) then
return 0
end
if (limit.refillUnits == 0) then
return -1
else
return ceil((missing / limit.refillUnits))
end
end
local function waitMs(state, limit, units, nowMs)
return bucketUntilMs(state, limit, limit.quota, units, nowMs)
end
local function noteLimit(state, limit, parts)
local capacity = knownCapacity(limit)
state.refillUnits = knownUnits(limit)
local isFull = ((capacity == 0) or (parts >= (state.capacity * limit.refillPeriodMs)))
if isFull then
state.capacity = capacity
else
state.capacity = max(capacity, state.capacity)
end
end
local function refill(state, limit, nowMs)
local refillUnits, refillPeriodMs = limit.refillUnits, limit.refillPeriodMs
noteLimit(state, limit, (((state.level * refillPeriodMs) + state.part) + ((nowMs - state.timeMs) * refillUnits)))
local now = held(state, limit, limit.quota, nowMs)
state.level = floor((now / refillPeriodMs))
state.part = (now - (state.level * refillPeriodMs))
state.timeMs = nowMs
end
local function takeOut(state, limit, units)
state.level = max(-limit.quota, (state.level - units))
end
local function spend(state, limit, units, nowMs)
refill(state, limit, nowMs)
takeOut(state, limit, units)
end
local function refund()
return false
end
local function retentionMs(state, limit, nowMs)
local capacity = state.capacity
if (capacity > limit.quota) then
return bucketUntilMs(state, limit, capacity, capacity, nowMs)
else
return nil
end
end
return {
layout = '<Bi6i6i7i6',
bytes = 26,
decode = decodeBucket,
encode = encodeBucket,
fresh = fullBucket,
isAhead = isBucketAhead,
normalize = bucketAt,
available = bucketFree,
waitMs = waitMs,
delayMs = delayMs,
spend = spend,
refund = refund,
retentionMs = retentionMs,
}
end`,"sliding-window-counter":`kernels['sliding-window-counter'] = function()
local function startOf(timeMs, windowMs)
return (floor((timeMs / windowMs)) * windowMs)
end
local function fresh(limit, nowMs)
return { startMs = startOf(nowMs, limit.windowMs), previous = 0, current = 0 }
end
local function isAhead(state, limit, nowMs)
return (state.startMs > startOf(nowMs, limit.windowMs))
end
local function normalize(state, limit, nowMs)
local windowMs = limit.windowMs
local startMs = startOf(nowMs, windowMs)
if (state.startMs == startMs) then
return state
end
if (state.startMs > startMs) then
return { startMs = startMs, previous = state.previous, current = state.current }
end
local isNext = ((startOf(state.startMs, windowMs) + windowMs) == startMs)
local previous
if isNext then
previous = state.current
else
previous = 0
end
return { startMs = startMs, previous = previous, current = 0 }
end
local function isRoundedUp(limit)
return (limit.countRejected == 'always')
end
local function overlap(previous, elapsedMs, limit)
local windowMs, quota = limit.windowMs, limit.quota
local weight = ((min(previous, (2 * quota)) * (windowMs - elapsedMs)) / windowMs)
if isRoundedUp(limit) then
return ceil(weight)
else
return floor(weight)
end
end
local function available(state, limit, nowMs)
return ((limit.quota - state.current) - overlap(state.previous, (nowMs - state.startMs), limit))
end
local function fitsAfterMs(previous, current, units, limit)
local windowMs = limit.windowMs
local room = ((limit.quota - current) - units)
if (room < 0) then
return nil
end
if (previous <= room) then
return 0
end
if isRoundedUp(limit) then
return ceil((((windowMs * previous) - (room * windowMs)) / previous))
end
return (floor((((windowMs * previous) - ((room + 1) * windowMs)) / previous)) + 1)
end
local function fitsInMs(previous, current, elapsedMs, units, limit)
local most = (2 * limit.quota)
local inThis = fitsAfterMs(min(previous, most), current, units, limit)
if (inThis ~= nil) then
return (inThis - elapsedMs)
end
local inNext = fitsAfterMs(min(current, most), 0, units, limit)
return ((limit.windowMs - elapsedMs) + inNext)
end
local function waitMs(state, limit, units, nowMs)
if (units > limit.quota) then
return -1
end
if (units <= available(state, limit, nowMs)) then
return 0
end
return fitsInMs(state.previous, state.current, (nowMs - state.startMs), units, limit)
end
local function spend(state, limit, units)
state.current = state.current + min(units, max(0, ((2 * limit.quota) - state.current)))
end
local function refund(state, limit, back, nowMs)
local units, atMs = back.units, back.atMs
local rest = units
if ((atMs == nil) or (atMs >= state.startMs)) then
local taken = min(rest, state.current)
state.current = state.current - taken
rest = rest - taken
end
local isPrevious = ((atMs == nil) or ((atMs < state.startMs) and (atMs >= (state.startMs - limit.windowMs))))
if (isPrevious and (overlap(state.previous, (nowMs - state.startMs), limit) > 0)) then
local taken = min(rest, state.previous)
state.previous = state.previous - taken
rest = rest - taken
end
return (rest < units)
end
return {
layout = '<Bi6i7i7',
bytes = 21,
decode = function(_, startMs, previous, current)
return { startMs = startMs, previous = previous, current = current }
end,
encode = function(state)
return state.startMs, state.previous, state.current
end,
fresh = fresh,
isAhead = isAhead,
normalize = normalize,
available = available,
waitMs = waitMs,
spend = spend,
refund = refund,
}
end`,sliding:`local function slidingKernel()
local function splice(list, from, count)
for i = from + 1, #list do list[i] = list[i + count] end
end
local function isLog(limit)
return (limit.algorithm == 'sliding-window-log')
end
local function coarsestMs(limit)
if isLog(limit) then
return 1
else
return ceil((limit.windowMs / limit.buckets))
end
end
local function isFine(limit)
return (isLog(limit) or ((limit.quota <= limit.buckets) and (limit.coarse ~= true)))
end
local function subWindowMs(limit)
if isFine(limit) then
return 1
else
return coarsestMs(limit)
end
end
local function fresh(limit)
return { ends = {  }, units = {  }, used = 0, subWindowMs = subWindowMs(limit), windowMs = limit.windowMs, unchanged = 0, head = 0 }
end
local function newestEnd(state)
local ends = state.ends
if (#ends > 0) then
return ends[#ends]
else
return -1
end
end
local function endOfSubWindow(timeMs, lengthMs)
return (((floor((timeMs / lengthMs)) + 1) * lengthMs) - 1)
end
local function latestEnd(limit, nowMs)
return endOfSubWindow(nowMs, coarsestMs(limit))
end
local function isAhead(state, limit, nowMs)
return (newestEnd(state) > latestEnd(limit, nowMs))
end
local function resampled(state, byMs, lengthMs, latestMs)
local roundMs
if (lengthMs > state.subWindowMs) then
roundMs = lengthMs
else
roundMs = 1
end
local ends = {  }
local units = {  }
local count = #state.ends
for i = 0, count - 1 do
local endMs = min(endOfSubWindow((state.ends[i + 1] - byMs), roundMs), latestMs)
local recorded = state.units[i + 1]
if ((#ends > 0) and (ends[#ends] == endMs)) then
units[#units] = (units[#units] + recorded)
else
ends[#ends + 1] = endMs
units[#units + 1] = recorded
end
end
local used, windowMs, head = state.used, state.windowMs, state.head
return { ends = ends, units = units, used = used, subWindowMs = max(lengthMs, state.subWindowMs), windowMs = windowMs, unchanged = 0, head = head }
end
local function normalize(state, limit, nowMs)
local lengthMs = subWindowMs(limit)
if ((lengthMs <= state.subWindowMs) and not isAhead(state, limit, nowMs)) then
return state
end
local latestMs = latestEnd(limit, nowMs)
local byMs = max(0, (newestEnd(state) - max(latestMs, endOfSubWindow(nowMs, state.subWindowMs))))
return resampled(state, byMs, lengthMs, latestMs)
end
local function firstLive(state, windowMs, nowMs)
local ends = state.ends
local i = 0
while ((i < #ends) and (nowMs >= (ends[i + 1] + windowMs))) do
i = i + 1
end
return i
end
local function usedNow(state, windowMs, nowMs)
local live = firstLive(state, windowMs, nowMs)
local used = state.used
for i = 0, live - 1 do
used = used - state.units[i + 1]
end
return used
end
local function available(state, limit, nowMs)
return (limit.quota - usedNow(state, limit.windowMs, nowMs))
end
local function waitMs(state, limit, units, nowMs)
local quota, windowMs = limit.quota, limit.windowMs
if (units > quota) then
return -1
end
local used = usedNow(state, windowMs, nowMs)
if (units == quota) then
if (used > 0) then
return ((newestEnd(state) + windowMs) - nowMs)
else
return 0
end
end
local untilMs = 0
local i = firstLive(state, windowMs, nowMs)
while ((used + units) > quota) do
used = used - state.units[i + 1]
untilMs = ((state.ends[i + 1] + windowMs) - nowMs)
i = i + 1
end
return untilMs
end
local function removeEntries(state, from, count)
splice(state.ends, from, count)
splice(state.units, from, count)
state.unchanged = 0
end
local function keepWindow(state, windowMs, nowMs)
local longestMs = max(windowMs, state.windowMs)
local live = firstLive(state, longestMs, nowMs)
for i = 0, live - 1 do
state.used = state.used - state.units[i + 1]
end
if (live > 0) then
removeEntries(state, 0, live)
end
if (#state.ends == 0) then
state.windowMs = windowMs
else
state.windowMs = longestMs
end
end
local function joinPast(state, live)
local ends, units = state.ends, state.units
local partMs = ceil((state.windowMs / 20))
local kept = 0
for i = 0, live - 1 do
local endMs = ends[i + 1]
local recorded = units[i + 1]
local isSamePart = ((kept > 0) and (floor((ends[kept] / partMs)) == floor((endMs / partMs))))
if ((recorded > 0) and isSamePart) then
units[kept] = (units[kept] + recorded)
ends[kept] = endMs
else
if (recorded > 0) then
units[kept + 1] = recorded
ends[kept + 1] = endMs
kept = kept + 1
end
end
end
if (kept < live) then
removeEntries(state, kept, (live - kept))
end
return kept
end
local function dropOldest(state, from, units)
local rest = units
local i = from
while (rest > 0) do
local recorded = state.units[i + 1]
local taken = min(rest, recorded)
state.units[i + 1] = (recorded - taken)
rest = rest - taken
if (taken == recorded) then
i = i + 1
end
end
state.used = state.used - units
state.unchanged = 0
if ((i - from) > 1) then
removeEntries(state, from, ((i - from) - 1))
end
end
local function makeRoom(state, live, used, most, units)
local tooMany = (used - (max(most, used) - units))
if (tooMany > 0) then
dropOldest(state, live, tooMany)
end
local inexact = (state.used - (9007199254740991 - units))
if (inexact > 0) then
dropOldest(state, 0, inexact)
end
end
local function mostEntries(limit)
local quota = limit.quota
if isLog(limit) then
return ((2 * quota) + 1)
end
local buckets = limit.buckets
if isFine(limit) then
return (max(buckets, (2 * quota)) + 1)
else
return (buckets + 1)
end
end
local function add(state, units, nowMs, lengthMs, hasRoom)
local endMs = endOfSubWindow(nowMs, lengthMs)
local lastMs = newestEnd(state)
if ((lastMs < endMs) and hasRoom) then
state.ends[#state.ends + 1] = endMs
state.units[#state.units + 1] = units
else
local newest = (#state.ends - 1)
state.ends[newest + 1] = max(lastMs, endMs)
state.units[newest + 1] = (state.units[newest + 1] + units)
state.unchanged = min(state.unchanged, newest)
end
state.used = state.used + units
if (lastMs <= endMs) then
state.subWindowMs = lengthMs
end
end
local function spend(state, limit, units, nowMs)
local quota, windowMs = limit.quota, limit.windowMs
keepWindow(state, windowMs, nowMs)
local recorded = min(units, (2 * quota))
if (recorded == 0) then
return
end
local live
if (state.windowMs > windowMs) then
live = joinPast(state, firstLive(state, windowMs, nowMs))
else
live = 0
end
local used
if (live == 0) then
used = state.used
else
used = usedNow(state, windowMs, nowMs)
end
makeRoom(state, live, used, (2 * quota), recorded)
local hasRoom = ((#state.ends - live) < mostEntries(limit))
add(state, recorded, nowMs, subWindowMs(limit), hasRoom)
end
local function retentionMs(state, limit, nowMs)
if (state.used == 0) then
return 0
end
return max(0, ((newestEnd(state) + max(limit.windowMs, state.windowMs)) - nowMs))
end
local function takeBack(state, i, units)
local taken = min(units, state.units[i + 1])
state.units[i + 1] = (state.units[i + 1] - taken)
state.used = state.used - taken
state.unchanged = min(state.unchanged, i)
if (state.units[i + 1] == 0) then
splice(state.ends, i, 1)
splice(state.units, i, 1)
while ((#state.units > 0) and (state.units[#state.units] == 0)) do
state.ends[#state.ends] = nil
state.units[#state.units] = nil
end
end
return taken
end
local function takeNewest(state, live, units)
local rest = units
while ((rest > 0) and (#state.ends > live)) do
rest = rest - takeBack(state, (#state.ends - 1), rest)
end
return (units - rest)
end
local function chargedEntry(state, live, atMs, lengthMs)
local ends = state.ends
local endMs = endOfSubWindow(atMs, lengthMs)
local i = live
while ((i < #ends) and (ends[i + 1] < endMs)) do
i = i + 1
end
if ((i == #ends) or (state.units[i + 1] == 0)) then
return -1
end
if (ends[i + 1] < (atMs + max(lengthMs, state.subWindowMs))) then
return i
else
return -1
end
end
local function refund(state, limit, back, nowMs)
local units, atMs = back.units, back.atMs
local windowMs = limit.windowMs
local live = firstLive(state, windowMs, nowMs)
if (atMs == nil) then
return (takeNewest(state, live, units) > 0)
end
local lengthMs = subWindowMs(limit)
if (nowMs >= (endOfSubWindow(atMs, lengthMs) + windowMs)) then
return false
end
local i = chargedEntry(state, live, atMs, lengthMs)
return ((i >= 0) and (takeBack(state, i, units) > 0))
end
return {
layout = '<Bi7i7i6i6i7i7',
bytes = 41,
decode = function(text, subWindowMs, windowMs, _, newest, _, newestUnits, first)
local ends, units, used, n = {}, {}, newestUnits, 0
if first <= #text then
local list, last = cmsgpack.unpack(string.sub(text, first)), 0
n = #list / 2
for i = 1, n do
last = last + list[2 * i - 1]
ends[i], units[i] = last, list[2 * i] + 0
used = used + units[i]
end
end
if newestUnits > 0 then ends[n + 1], units[n + 1] = newest, newestUnits end
local keptUntilMs = used > 0 and newest + windowMs
return { ends = ends, units = units, used = used, subWindowMs = subWindowMs, windowMs = windowMs, unchanged = 0, keptUntilMs = keptUntilMs }
end,
encode = function(state)
local ends, n = state.ends, #state.ends
return state.subWindowMs, state.windowMs, ends[1] or 0, ends[n] or 0, state.used, state.units[n] or 0
end,
rest = function(state)
local ends, units = state.ends, state.units
if #ends < 2 then return '' end
local list, last = {}, 0
for i = 1, #ends - 1 do
list[2 * i - 1], list[2 * i] = ends[i] - last, units[i]
last = ends[i]
end
return cmsgpack.pack(list)
end,
fresh = fresh,
isAhead = isAhead,
normalize = normalize,
available = available,
waitMs = waitMs,
spend = spend,
refund = refund,
retentionMs = retentionMs,
}
end`,"sliding-window-log":"kernels['sliding-window-log'] = slidingKernel","sliding-window":"kernels['sliding-window'] = slidingKernel","token-bucket":`kernels['token-bucket'] = function()
local function knownUnits(limit)
if (limit.refillUnits <= 999999999998) then
return limit.refillUnits
else
return (-1)
end
end
local function fullBucket(limit, nowMs)
local quota, refillPeriodMs = limit.quota, limit.refillPeriodMs
return { level = quota, part = 0, refillUnits = knownUnits(limit), refillPeriodMs = refillPeriodMs, capacity = 0, timeMs = nowMs }
end
local function isBucketAhead(state, _limit, nowMs)
return (state.timeMs > nowMs)
end
local function refillAtOldRate(now, old, limit, nowMs)
local refillUnits, refillPeriodMs = old.refillUnits, old.refillPeriodMs
local elapsedMs = (nowMs - now.timeMs)
if (limit.byInterval == true) then
local periods = floor((elapsedMs / refillPeriodMs))
now.level = now.level + (periods * refillUnits)
now.timeMs = now.timeMs + (periods * refillPeriodMs)
return
end
local parts = (((old.level * refillPeriodMs) + old.part) + (elapsedMs * refillUnits))
now.level = floor((parts / refillPeriodMs))
now.part = (parts - (now.level * refillPeriodMs))
now.timeMs = nowMs
end
local function knownCapacity(limit)
local quota, refillUnits = limit.quota, limit.refillUnits
if ((quota <= 2147483647) and (refillUnits <= 65534)) then
return quota
else
return 0
end
end
local function bucketAt(state, limit, nowMs)
local quota, refillPeriodMs = limit.quota, limit.refillPeriodMs
local isKnown = (state.refillUnits ~= (-1))
local isSamePeriod = (state.refillPeriodMs == refillPeriodMs)
local isSame = (isSamePeriod and (not isKnown or (state.refillUnits == knownUnits(limit))))
if (((isSame and (state.timeMs <= nowMs)) and (state.level <= quota)) and (state.level >= -quota)) then
return state
end
local level, part, refillUnits, capacity = state.level, state.part, state.refillUnits, state.capacity
local now = { level = level, part = part, refillUnits = refillUnits, refillPeriodMs = refillPeriodMs, capacity = capacity, timeMs = min(state.timeMs, nowMs) }
if not isSame then
now.refillUnits = knownUnits(limit)
if isKnown then
refillAtOldRate(now, state, limit, nowMs)
end
if ((now.level >= capacity) or (knownCapacity(limit) == 0)) then
now.capacity = 0
end
end
now.level = max(-quota, min(quota, now.level))
if not isSamePeriod then
now.part = 0
end
return now
end
local function normalize(state, limit, nowMs)
local keepForMs = limit.keepForMs
if ((keepForMs ~= nil) and ((nowMs - state.timeMs) >= keepForMs)) then
return fullBucket(limit, nowMs)
end
return bucketAt(state, limit, nowMs)
end
local function levelByInterval(state, limit, capacity, nowMs)
local periods = floor(((nowMs - state.timeMs) / limit.refillPeriodMs))
return min(capacity, (state.level + (periods * limit.refillUnits)))
end
local function held(state, limit, capacity, nowMs)
local refillUnits, refillPeriodMs = limit.refillUnits, limit.refillPeriodMs
return min((capacity * refillPeriodMs), (((state.level * refillPeriodMs) + state.part) + ((nowMs - state.timeMs) * refillUnits)))
end
local function bucketFree(state, limit, nowMs)
return floor((held(state, limit, limit.quota, nowMs) / limit.refillPeriodMs))
end
local function available(state, limit, nowMs)
if (limit.byInterval == true) then
return levelByInterval(state, limit, limit.quota, nowMs)
end
return bucketFree(state, limit, nowMs)
end
local function untilMsByInterval(state, limit, capacity, units, nowMs)
local refillUnits, refillPeriodMs = limit.refillUnits, limit.refillPeriodMs
if (units > capacity) then
return -1
end
local level = levelByInterval(state, limit, capacity, nowMs)
if (level >= units) then
return 0
end
local elapsedMs = (nowMs - state.timeMs)
local sinceIntervalMs = (elapsedMs - (floor((elapsedMs / refillPeriodMs)) * refillPeriodMs))
return ((ceil(((units - level) / refillUnits)) * refillPeriodMs) - sinceIntervalMs)
end
local function bucketUntilMs(state, limit, capacity, units, nowMs)
if (units > capacity) then
return -1
end
local missing = ((units * limit.refillPeriodMs) - held(state, limit, capacity, nowMs))
if (missing <= 0) then
return 0
end
if (limit.refillUnits == 0) then
return -1
else
return ceil((missing / limit.refillUnits))
end
end
local function untilMs(state, limit, capacity, units, nowMs)
if (limit.byInterval == true) then
return untilMsByInterval(state, limit, capacity, units, nowMs)
end
return bucketUntilMs(state, limit, capacity, units, nowMs)
end
local function waitMs(state, limit, units, nowMs)
return untilMs(state, limit, limit.quota, units, nowMs)
end
local function noteLimit(state, limit, parts)
local capacity = knownCapacity(limit)
state.refillUnits = knownUnits(limit)
local isFull = ((capacity == 0) or (parts >= (state.capacity * limit.refillPeriodMs)))
if isFull then
state.capacity = capacity
else
state.capacity = max(capacity, state.capacity)
end
end
local function refill(state, limit, nowMs)
local refillUnits, refillPeriodMs = limit.refillUnits, limit.refillPeriodMs
noteLimit(state, limit, (((state.level * refillPeriodMs) + state.part) + ((nowMs - state.timeMs) * refillUnits)))
local now = held(state, limit, limit.quota, nowMs)
state.level = floor((now / refillPeriodMs))
state.part = (now - (state.level * refillPeriodMs))
state.timeMs = nowMs
end
local function refillByInterval(state, limit, nowMs)
local quota, refillUnits, refillPeriodMs = limit.quota, limit.refillUnits, limit.refillPeriodMs
local level = levelByInterval(state, limit, quota, nowMs)
local periods = floor(((nowMs - state.timeMs) / refillPeriodMs))
noteLimit(state, limit, ((state.level + (periods * refillUnits)) * refillPeriodMs))
if (level == quota) then
state.timeMs = nowMs
else
state.timeMs = (state.timeMs + (periods * refillPeriodMs))
end
state.level = level
end
local function refillTo(state, limit, nowMs)
if (limit.byInterval == true) then
refillByInterval(state, limit, nowMs)
else
refill(state, limit, nowMs)
end
end
local function takeOut(state, limit, units)
state.level = max(-limit.quota, (state.level - units))
end
local function spend(state, limit, units, nowMs)
refillTo(state, limit, nowMs)
takeOut(state, limit, units)
end
local function refilledSince(state, limit, atMs, nowMs)
local refillUnits, refillPeriodMs = limit.refillUnits, limit.refillPeriodMs
if (limit.byInterval ~= true) then
return (max(0, (nowMs - atMs)) * refillUnits)
end
local lastMs = (state.timeMs + (floor(((nowMs - state.timeMs) / refillPeriodMs)) * refillPeriodMs))
local ends
if (lastMs <= atMs) then
ends = 0
else
ends = (1 + floor((((lastMs - atMs) - 1) / refillPeriodMs)))
end
return ((ends * refillUnits) * refillPeriodMs)
end
local function putIn(state, limit, parts)
local quota, refillPeriodMs = limit.quota, limit.refillPeriodMs
local now = min((quota * refillPeriodMs), (((state.level * refillPeriodMs) + state.part) + parts))
state.level = floor((now / refillPeriodMs))
state.part = (now - (state.level * refillPeriodMs))
end
local function refund(state, limit, back, nowMs)
local units, atMs = back.units, back.atMs
if (available(state, limit, nowMs) >= limit.quota) then
return false
end
local parts = (min(units, (2 * limit.quota)) * limit.refillPeriodMs)
if ((back.unspent == true) and (atMs ~= nil)) then
parts = parts - refilledSince(state, limit, atMs, nowMs)
end
if (parts <= 0) then
return false
end
refillTo(state, limit, nowMs)
putIn(state, limit, parts)
return true
end
local function retentionMs(state, limit, nowMs)
local largest = max(limit.quota, state.capacity)
if (limit.keepForMs ~= nil) then
if (state.level >= largest) then
return 0
else
return ((state.timeMs + limit.keepForMs) - nowMs)
end
end
if (largest == limit.quota) then
return nil
else
return untilMs(state, limit, largest, largest, nowMs)
end
end
return {
layout = '<Bi6i6i7i6',
bytes = 26,
decode = decodeBucket,
encode = encodeBucket,
fresh = fullBucket,
isAhead = isBucketAhead,
normalize = normalize,
available = available,
waitMs = waitMs,
spend = spend,
refund = refund,
retentionMs = retentionMs,
}
end`,"first-state":"local text = KEYS[1] and not KEYS[2] and redis.pcall('GET', KEYS[1])",lone:`if KEYS[1] and not ARGV[2] then
local round, send = ARGV[1], redis.call
local count, times, low, high, algorithmCode, cost, quota, quotaHigh, a, aHigh, b, bHigh, at = struct.unpack('<BBxi7i7BBi7i7i7i7i7i7', round)
local isLone = times == 1 and nowMs <= low + 16 * high
if count == 1 and decide and isLone and algorithmCode < 8 and cost < 127 then
local isAdmitted, free, resetAfterMs, retryAfterMs, _, new, from, forMs =
decide(text, quota + 16 * quotaHigh, a + 16 * aHigh, b + 16 * bHigh, -1, cost, 0, true, nowMs)
if free and free >= 0 then
if isAdmitted then
local key = KEYS[1]
forMs = forMs or resetAfterMs
local answer
if from then
answer = send('SETRANGE', key, from, new)
if leastTtlMs > 0 and type(answer) ~= 'table' then send('PEXPIRE', key, math.max(forMs, leastTtlMs)) end
else
answer = send('SET', key, new, 'PX', string.format('%d', math.max(forMs, leastTtlMs)))
end
end
if retryAfterMs == 0 then return struct.pack('<dddd', nowMs, 1, free, resetAfterMs) end
return struct.pack('<ddddd', nowMs, isAdmitted and 3 or 2, free, resetAfterMs, retryAfterMs)
end
elseif count > 1 and count <= 3 and isLone then
local reply, pending, i = { nowMs, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 1
while isLone and i <= count do
if i > 1 then algorithmCode, cost, quota, quotaHigh, a, aHigh, b, bHigh, at = struct.unpack('<BBi7i7i7i7i7i7', round, at) end
isLone = algorithmCode < 8 and cost < 127
if isLone then
if decides then decide = decides[algorithmCode] end
local isAdmitted, free, resetAfterMs, retryAfterMs, _, new, from, forMs =
decide(redis.pcall('GET', KEYS[i]), quota + 16 * quotaHigh, a + 16 * aHigh, b + 16 * bHigh, -1, cost, 0, true, nowMs)
isLone = isAdmitted and retryAfterMs == 0
if isLone then
local own = 3 * i
reply[own - 1], reply[own], reply[own + 1] = 1, free, resetAfterMs
pending[own - 2], pending[own - 1], pending[own] = new, from, forMs or resetAfterMs
end
end
i = i + 1
end
if isLone then
for i = 1, count do
local key, new, from, forMs = KEYS[i], pending[3 * i - 2], pending[3 * i - 1], pending[3 * i]
local answer
if from then
answer = send('SETRANGE', key, from, new)
if leastTtlMs > 0 and type(answer) ~= 'table' then send('PEXPIRE', key, math.max(forMs, leastTtlMs)) end
else
answer = send('SET', key, new, 'PX', string.format('%d', math.max(forMs, leastTtlMs)))
end
end
return struct.pack(count == 2 and '<ddddddd' or '<dddddddddd', unpack(reply, 1, 3 * count + 1))
end
end
end`,prelude:"local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max",states:`local texts = { type(text) == 'string' and text }
if KEYS[2] then texts = redis.call('MGET', unpack(KEYS)) end`,plain:`local function readRound(round, numbers, costs)
local unpack = struct.unpack
local count, times, isMixed, notAfterMs, notAfterHigh, at = unpack('<BBBi7i7', round)
for i = 1, isMixed == 1 and times * count or count do
local cost
if i <= count then
local own, algorithmCode, quota, quotaHigh, a, aHigh, b, bHigh, c, cHigh, margin, marginHigh = 6 * i, nil
algorithmCode, cost, quota, quotaHigh, a, aHigh, b, bHigh, at = unpack('<BBi7i7i7i7i7i7', round, at)
quota, c, margin = quota + 16 * quotaHigh, -1, 0
if algorithmCode >= 8 then
c, cHigh, margin, marginHigh, at = unpack('<i7i7i7i7', round, at)
algorithmCode, c, margin = algorithmCode - 8, c + 16 * cHigh - 1, margin + 16 * marginHigh - quota
end
numbers[own - 5] = quota
numbers[own - 4] = a + 16 * aHigh
numbers[own - 3] = b + 16 * bHigh
numbers[own - 2] = c
numbers[own - 1] = margin
numbers[own] = algorithmCode
else
cost, at = string.byte(round, at), at + 1
end
if cost == 127 then
local high
cost, high, at = unpack('<i7i7', round, at)
cost = cost + 16 * high
end
costs[i] = cost
end
return count, times, isMixed * count, notAfterMs + 16 * notAfterHigh, at
end
local reply, length = { nowMs, 0, 0, 0 }, 1
local position, answered, keyCount = 1, 0, 0
local opened, hasFailed = nil, false
local numbers, costs, pending = { 0, 0, 0, 0, 0, 0 }, { 0 }, { 0, 0, 0 }
local keys, round = KEYS, ARGV[1]
while round and string.byte(round) <= 31 do
local count, times, step, notAfterMs = readRound(round, numbers, costs)
local isPlain = nowMs <= notAfterMs
if not opened and keys[count + 1] then opened = {} end
if count == 1 and numbers[5] == 0 then
local quota, a, b, c, send, isShort = numbers[1], numbers[2], numbers[3], numbers[4], redis.pcall, true
if decides then decide = decides[numbers[6]] end
while isPlain and isShort and answered < times do
local key, text = keys[keyCount + 1], texts[keyCount + 1]
if opened and opened[key] then text = redis.call('GET', key) end
local isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, new, from, forMs =
decide(text, quota, a, b, c, costs[1 + answered * step], 0, true, nowMs)
isShort = free and free >= 0 and delayMs == 0
if isShort then
local failure
if isAdmitted then
if opened then opened[key] = true end
forMs = forMs or resetAfterMs
local answer
if from then
answer = send('SETRANGE', key, from, new)
if leastTtlMs > 0 and type(answer) ~= 'table' then send('PEXPIRE', key, math.max(forMs, leastTtlMs)) end
else
answer = send('SET', key, new, 'PX', string.format('%d', math.max(forMs, leastTtlMs)))
end
if type(answer) == 'table' then failure = answer.err end
end
if failure then
length, hasFailed = length + 1, true
reply[length] = failure
else
reply[length + 1] = (isAdmitted and 1 or 0) + (retryAfterMs ~= 0 and 2 or 0)
reply[length + 2] = free
length = length + 3
reply[length] = resetAfterMs
if retryAfterMs ~= 0 then
length = length + 1
reply[length] = retryAfterMs
end
end
answered, keyCount = answered + 1, keyCount + 1
end
end
end
while isPlain and answered < times do
local start, spends, i, costAt = length, true, 1, answered * step
while i <= count do
local at, own, cost = keyCount + i, 6 * i, costs[costAt + i]
local text, margin = texts[at], numbers[own - 1]
if opened and opened[keys[at]] then text = redis.call('GET', keys[at]) end
if decides then decide = decides[numbers[own]] end
local isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, new, from, forMs =
decide(text, numbers[own - 5], numbers[own - 4], numbers[own - 3], numbers[own - 2], cost, margin, spends, nowMs)
if isAdmitted == nil then
isPlain = false
break
end
if spends and not isAdmitted and count > 1 then
spends, length, i = false, start, 1
else
if isAdmitted and spends then
pending[3 * i - 2] = new
pending[3 * i - 1] = from or false
pending[3 * i] = forMs or resetAfterMs
else
spends = false
end
local what, remaining, last = isAdmitted and 1 or 0, free, length + 3
if margin < 0 then remaining = free + margin end
if remaining < 0 then remaining = 0 end
reply[length + 1] = what
reply[length + 2] = remaining
reply[last] = resetAfterMs
if retryAfterMs ~= 0 then
what, last = what + 2, last + 1
reply[last] = retryAfterMs
end
if delayMs ~= 0 then
what, last = what + 4, last + 1
reply[last] = delayMs
end
if free ~= remaining then
what, last = what + 8, last + 1
reply[last] = free
end
if isAdmitted and margin > 0 then
local overQuota = cost - max(0, spends and free + cost or free)
if overQuota > 0 then
what, last = what + 16, last + 1
reply[last] = overQuota
end
end
reply[length + 1], length = what, last
i = i + 1
end
end
if isPlain then
local send, failure = redis.pcall, nil
for i = 1, spends and count or 0 do
local key, new, from, forMs = keys[keyCount + i], pending[3 * i - 2], pending[3 * i - 1], pending[3 * i]
if opened then opened[key] = true end
local answer
if from then
answer = send('SETRANGE', key, from, new)
if leastTtlMs > 0 and type(answer) ~= 'table' then send('PEXPIRE', key, math.max(forMs, leastTtlMs)) end
else
answer = send('SET', key, new, 'PX', string.format('%d', math.max(forMs, leastTtlMs)))
end
if type(answer) == 'table' then failure = answer.err or failure end
end
if failure then
length, hasFailed = start + 1, true
reply[length] = failure
end
answered, keyCount = answered + 1, keyCount + count
else
length = start
end
end
if answered < times then break end
position, answered = position + 1, 0
round = ARGV[position]
end
if not round and not hasFailed and length <= 1000 then
return struct.pack('<' .. string.rep('d', length), unpack(reply, 1, length))
end`,limits:`local kernels = {}
local limits = {}
local function limitOf(text, nowMs)
local limit = cjson.decode(text)
local calendarBoundsMs = limit.calendarBoundsMs
limit.isOutside = calendarBoundsMs ~= nil
for i = 1, calendarBoundsMs and #calendarBoundsMs - 1 or 0 do
local startMs, endMs = calendarBoundsMs[i], calendarBoundsMs[i + 1]
if startMs <= nowMs and nowMs < endMs then
limit.isOutside, limit.interval = false, { startMs = startMs, endMs = endMs }
end
end
return limit
end
local function limitBy(text, limits, nowMs)
local limit = limits[text]
if not limit then
limit = limitOf(text, nowMs)
limit.kernel = kernels[limit.algorithm]()
limits[text] = limit
end
return limit
end
local function limitAt(position, limits, nowMs)
local text = ARGV[position]
if #text < 9 then text = ARGV[text + 0] end
return limitBy(text, limits, nowMs)
end`,"limit-state":`local function hasUnknownForm(texts, from, count)
for i = from + 1, from + count do
local version = texts[i] and string.byte(texts[i])
if version and (version < 1 or version > 3) then return true end
end
return false
end
local function decodedOf(kernel, text, blockEndsMs, admittedMs, strikes, heldUntilMs, version, ...)
return version == 1 and kernel.decode(text, ...), blockEndsMs, admittedMs, strikes, heldUntilMs
end
local function decoded(kernel, text, endedMs)
local first, blockEndsMs, admittedMs, strikes, heldUntilMs, version, keptUntilMs, _ = 1, 0, -1, 0, 0, string.byte(text), nil, nil
if version == 2 then
_, blockEndsMs, admittedMs, first = struct.unpack('<Bi7i7', text)
elseif version == 3 then
_, blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, first = struct.unpack('<Bi7i7i6i7i7', text)
if heldUntilMs ~= 0 and keptUntilMs ~= 0 and keptUntilMs < endedMs then return nil, 0, -1, 0, heldUntilMs end
end
local bytes = #text - first + 1
if bytes < kernel.bytes or (bytes > kernel.bytes and not kernel.rest) then return nil, blockEndsMs, admittedMs, strikes, heldUntilMs end
return decodedOf(kernel, text, blockEndsMs, admittedMs, strikes, heldUntilMs, struct.unpack(kernel.layout, text, first))
end
local function encoded(self, keptUntilMs)
local limit, state, blockEndsMs, admittedMs = self.limit, self.state, self.blockEndsMs, self.admittedMs
local kernel = limit.kernel
local text, strikes, heldUntilMs = struct.pack(kernel.layout, 1, kernel.encode(state, limit, keptUntilMs)), state.strikes, state.heldUntilMs
if kernel.rest then text = text .. kernel.rest(state) end
if strikes or heldUntilMs then
if heldUntilMs then blockEndsMs = state.ownBlockEndsMs end
return struct.pack('<Bi7i7i6i7i7', 3, blockEndsMs, admittedMs, strikes or 0, heldUntilMs or 0, keptUntilMs or 0) .. text
end
if blockEndsMs == 0 and admittedMs == -1 then return text end
return struct.pack('<Bi7i7', 2, blockEndsMs, admittedMs) .. text
end
local function limitStateOf(limit, text, nowMs)
local kernel, interval, state, blockEndsMs, admittedMs, isCorrected = limit.kernel, limit.interval, nil, 0, -1, false
local strikes, heldUntilMs = 0, 0
if text then
local isRead
isRead, state, blockEndsMs, admittedMs, strikes, heldUntilMs = pcall(decoded, kernel, text, leastTtlMs == 0 and nowMs or 0)
if not isRead then state, strikes, heldUntilMs = nil, 0, 0 end
end
if heldUntilMs ~= 0 then
state = state or kernel.fresh(limit, nowMs)
if heldUntilMs <= nowMs and leastTtlMs == 0 then heldUntilMs = 0 end
end
if state then
local blocksMs = limit.blocksMs
local longestBlockMs = blocksMs and blocksMs[#blocksMs] or limit.blockMs
local markedMs = admittedMs < -1 and -2 - admittedMs or admittedMs
isCorrected = markedMs > nowMs or kernel.isAhead(state, limit, nowMs, interval)
if isCorrected then
blockEndsMs = min(blockEndsMs, nowMs + (longestBlockMs or blockEndsMs - max(markedMs, nowMs)))
end
if markedMs > nowMs then admittedMs = max(-1, min(admittedMs, nowMs)) end
if strikes ~= 0 and (not blocksMs or nowMs >= blockEndsMs + limit.forgetMs) then strikes = 0 end
else
state, blockEndsMs, admittedMs, strikes = kernel.fresh(limit, nowMs), 0, -1, 0
end
state = kernel.normalize(state, limit, nowMs, interval)
if strikes ~= 0 then state.strikes = strikes end
if heldUntilMs ~= 0 then
state.heldUntilMs, state.ownBlockEndsMs = heldUntilMs, blockEndsMs
blockEndsMs = max(blockEndsMs, heldUntilMs)
end
return {
limit = limit,
text = text,
state = state,
free = kernel.available(state, limit, nowMs),
blockEndsMs = blockEndsMs,
admittedMs = admittedMs,
isCorrected = isCorrected,
resetAfterMs = false,
}
end
local function untilMs(self, units, nowMs)
local limit, fitsMs = self.limit, 0
if units > self.free then fitsMs = limit.kernel.waitMs(self.state, limit, units, nowMs) end
if fitsMs == -1 then return -1 end
local blockMs = self.blockEndsMs - nowMs
if blockMs <= fitsMs then return fitsMs end
return self.blockEndsMs == 9007199254740991 and -1 or blockMs
end
local function countsUntilMs(self)
local limit = self.limit
if limit.windowMs then return self.admittedMs + limit.windowMs end
local refillUnits, refillPeriodMs = limit.refillUnits, limit.refillPeriodMs
if limit.byInterval then return self.admittedMs + math.ceil(limit.quota / refillUnits) * refillPeriodMs end
return self.admittedMs + math.ceil((limit.quota * refillPeriodMs) / refillUnits)
end
local function admits(self, units, id, nowMs)
local limit, free = self.limit, self.free
if limit.quota == 0 then return false, 0 end
local margin, isBlocked = limit.margin, nowMs < self.blockEndsMs
if not margin and units <= free and not isBlocked then return true, 0 end
local holds = id and limit.kernel.holds
if holds and holds(self.state, id, nowMs) then return true, 0 end
if isBlocked or not margin or units > limit.quota or units > free + margin then return false, 0 end
return true, max(0, units - max(0, free))
end
local function keptBack(limit)
local margin = limit.margin
return margin and margin < 0 and margin or 0
end
local function addVerdict(reply, length, self, isAdmitted, cost, delayMs, overQuota, nowMs, room, roomAfterMs)
local free, kept = self.free, keptBack(self.limit)
local what, units, remaining, retryAfterMs = isAdmitted and 1 or 0, cost, free + kept, nil
if remaining < 0 or nowMs < self.blockEndsMs then remaining = 0 end
if units == 0 then units = 1 end
if room then
remaining, retryAfterMs = room, roomAfterMs ~= 0 and roomAfterMs or nil
elseif units > remaining then
retryAfterMs = untilMs(self, units - kept, nowMs)
end
if retryAfterMs then what = what + 2 end
if delayMs ~= 0 then what = what + 4 end
if free ~= remaining then what = what + 8 end
if overQuota ~= 0 then what = what + 16 end
local state = self.state
local heldUntilMs, hasBegun = state.heldUntilMs, state.hasBegunBlock
if heldUntilMs and nowMs < heldUntilMs then what = what + 32 end
if hasBegun then what = what + 64 end
local resetAfterMs = self.resetAfterMs
if not resetAfterMs then
resetAfterMs = untilMs(self, self.limit.quota, nowMs)
self.resetAfterMs = resetAfterMs
end
reply[length + 1], reply[length + 2], reply[length + 3] = what, remaining, resetAfterMs
length = length + 3
if retryAfterMs then
length = length + 1
reply[length] = retryAfterMs
end
if delayMs ~= 0 then
length = length + 1
reply[length] = delayMs
end
if free ~= remaining then
length = length + 1
reply[length] = free
end
if overQuota ~= 0 then
length = length + 1
reply[length] = overQuota
end
if hasBegun then
reply[length + 1], reply[length + 2] = self.blockEndsMs, state.strikes or 1
length, state.hasBegunBlock = length + 2, nil
end
return length
end
local function keptMs(self, nowMs)
local limit, state, endsMs, blockEndsMs = self.limit, self.state, self.resetAfterMs, self.blockEndsMs
if state.heldUntilMs then
self.blockEndsMs = state.ownBlockEndsMs
endsMs = untilMs(self, limit.quota, nowMs)
self.blockEndsMs, blockEndsMs = blockEndsMs, state.ownBlockEndsMs
end
local blockMs = blockEndsMs - nowMs
if state.strikes then blockMs = blockMs + limit.forgetMs end
if not endsMs then endsMs = untilMs(self, limit.quota, nowMs) end
if limit.kernel.retentionMs then endsMs = limit.kernel.retentionMs(self.state, limit, nowMs) or endsMs end
if limit.countRejected == true and self.admittedMs >= 0 then endsMs = math.max(endsMs, countsUntilMs(self) - nowMs) end
return blockMs > endsMs and blockMs or endsMs
end
local function refuse(self, cost, isRequestRefused, nowMs)
local limit, heldUntilMs = self.limit, self.state.heldUntilMs
if heldUntilMs and nowMs < heldUntilMs then return false end
local margin, isAdmitted = limit.margin or 0, admits(self, cost, nil, nowMs)
if margin < 0 and not isAdmitted and nowMs >= self.blockEndsMs and limit.quota > 0 and cost <= self.free then return false end
local blockMs, countRejected, quota = limit.blockMs, limit.countRejected, limit.quota
local isBlocked = nowMs < self.blockEndsMs
local startsBlock = blockMs and cost > 0 and not isBlocked and not isAdmitted
local counts = isRequestRefused and countRejected and cost > 0 and cost <= quota
if counts and countRejected == true then counts = self.admittedMs >= 0 and nowMs < countsUntilMs(self) end
if startsBlock then
local state, blocksMs = self.state, limit.blocksMs
if blocksMs then
local strikes = (state.strikes or 0) + 1
blockMs, state.strikes = blocksMs[min(strikes, #blocksMs)], strikes
end
self.blockEndsMs, state.ownBlockEndsMs, state.hasBegunBlock = nowMs + blockMs, nowMs + blockMs, true
if self.admittedMs < 0 or nowMs >= countsUntilMs(self) then self.admittedMs = -2 - nowMs end
end
if counts then limit.kernel.spend(self.state, limit, cost, nowMs) end
return startsBlock or counts
end
local function heldAlone(self)
return struct.pack('<Bi7i7i6i7i7', 3, 0, -1, 0, self.state.heldUntilMs, 0)
end
local function write(key, self, nowMs, leastTtlMs)
local endsMs, answer = keptMs(self, nowMs), nil
local ownEndsMs = (self.state.keptUntilMs or 0) - nowMs
if self.state.heldUntilMs then
local ttlMs = redis.call('PTTL', key)
local text = endsMs == 0 and heldAlone(self) or encoded(self, nowMs + endsMs)
answer = redis.pcall('SET', key, text, 'PX', string.format('%d', max(endsMs, leastTtlMs, ttlMs, 1)))
elseif endsMs == 0 then
answer = redis.pcall('DEL', key)
elseif leastTtlMs == 0 and ownEndsMs == endsMs then
answer = redis.pcall('SET', key, encoded(self, self.state.keptUntilMs), 'KEEPTTL')
else
answer = redis.pcall('SET', key, encoded(self, nowMs + endsMs), 'PX', string.format('%d', max(endsMs, leastTtlMs)))
end
return type(answer) == 'table' and answer.err or nil
end
local function checksAt(position, count, limits, nowMs)
local checks, isOutside = {}, false
for i = 1, count do
checks[i] = { limit = limitAt(position, limits, nowMs), cost = tonumber(ARGV[position + 1]), mark = ARGV[position + 2] }
isOutside = isOutside or checks[i].limit.isOutside
position = position + 3
end
return checks, isOutside, position
end`,guarantee:`local function guarantees(nowMs)
local noUnits = -math.huge
local mostSteps = 32
local roundedToMs = 1000
local function later(one, other)
if one == -1 or other == -1 then return -1 end
return max(one, other)
end
local function closedMs(self)
return untilMs(self, noUnits, nowMs)
end
local function remainingOf(self)
return closedMs(self) == 0 and max(0, self.free) or 0
end
local function availableIn(self, ms)
local limit = self.limit
if ms > 0 then
local resetAfterMs = untilMs(self, limit.quota, nowMs)
if resetAfterMs ~= -1 and ms >= resetAfterMs then return limit.quota end
end
return max(0, limit.kernel.available(self.state, limit, nowMs + ms))
end
local function keptFree(unused, lend)
return min(unused, ceil(floor((1 - lend) * unused * 1e6 + 0.5) / 1e6))
end
local function roomAfterMs(whole, all, units, ms)
return later(ms, untilMs(whole, units + keptFree(availableIn(all, ms), whole.limit.lend), nowMs))
end
local function borrowedAfterMs(whole, all, units, closed)
local waitMs = closed
for _ = 1, mostSteps do
if waitMs == -1 then return -1 end
local ms = roomAfterMs(whole, all, units, waitMs)
if ms == waitMs then
local rounded = ceil(waitMs / roundedToMs) * roundedToMs
ms = roomAfterMs(whole, all, units, rounded)
if ms == rounded or ms == -1 then return waitMs end
end
waitMs = ms
end
return later(waitMs, untilMs(whole, units + keptFree(all.limit.quota, whole.limit.lend), nowMs))
end
return {
keepFree = function(limit, all)
limit.margin = 0 - keptFree(availableIn(all, 0), limit.lend)
end,
grant = function(inHand, i, isAdmitted, units, id)
local admitted, part, all, whole = inHand.admitted, inHand.limitStates[i - 2], inHand.limitStates[i - 1], inHand.limitStates[i]
local isOpen = closedMs(whole) == 0
if admitted[i - 2] and admitted[i - 1] and (isAdmitted or isOpen) then
local holds = id and whole.limit.kernel.holds
if holds and holds(whole.state, id, nowMs) then return true, 0 end
return true, max(0, units - max(0, whole.free))
end
for j = i - 2, i - 1 do admitted[j], inHand.delays[j], inHand.overQuotas[j] = false, 0, 0 end
return isAdmitted and later(closedMs(part), closedMs(all)) == 0, 0
end,
room = function(inHand, i, checks)
local part, all, whole = inHand.limitStates[i - 2], inHand.limitStates[i - 1], inHand.limitStates[i]
local closed, remaining = later(later(closedMs(part), closedMs(all)), closedMs(whole)), 0
if closed == 0 then
local unused = remainingOf(whole) - keptFree(availableIn(all, 0), whole.limit.lend)
remaining = max(0, unused, min(remainingOf(part), remainingOf(all)))
end
local partMs, allMs = untilMs(part, max(1, checks[i - 2].cost), nowMs), untilMs(all, max(1, checks[i - 1].cost), nowMs)
local ownMs, waitMs = later(partMs, allMs), borrowedAfterMs(whole, all, max(1, checks[i].cost), closed)
if ownMs ~= -1 then waitMs = waitMs == -1 and ownMs or min(waitMs, ownMs) end
return remaining, later(waitMs, closed)
end,
}
end`,reply:`local function packed(reply, length)
local parts, from = {}, 1
while from <= length do
local to = from
while to <= length and to - from < 1000 and type(reply[to]) == 'number' do to = to + 1 end
if to > from then parts[#parts + 1] = struct.pack('<' .. string.rep('d', to - from), unpack(reply, from, to - 1)) end
from = to
local failure = reply[from]
if from <= length and type(failure) == 'string' then
parts[#parts + 1] = struct.pack('<dd', -3, #failure) .. failure
from = from + 1
end
end
return table.concat(parts)
end`,"operation-record":`local function recall(text, nowMs)
local isRead, values = pcall(cmsgpack.unpack, text or '')
if not isRead or type(values) ~= 'table' or type(values[1]) ~= 'number' or nowMs >= values[1] then return nil end
return values[2], values[3], values[4], values[5], values[6]
end
local function marksOf(checks)
local marks = {}
for i = 1, #checks do marks[i] = checks[i].mark end
return table.concat(marks)
end
local function isUnknownRecord(text)
if not text then return false end
local isRead, values = pcall(cmsgpack.unpack, text)
return not isRead or type(values) ~= 'table' or type(values[1]) ~= 'number'
end
local function remember(key, forMs, nowMs, leastTtlMs, ...)
local text = cmsgpack.pack({ nowMs + forMs, ... })
redis.call('SET', key, text, 'PX', string.format('%d', math.max(forMs, leastTtlMs)))
end
local function repeatedReply(text, checks, texts, slotId, naming, nowMs)
local first, attempt, slots, marks, isRefused = recall(text, nowMs)
if type(first) ~= 'table' then return nil end
marks = marks or marksOf(checks)
for i = 1, slots and 0 or #checks do
if checks[i].limit.kernel.holds then return nil end
end
attempt = attempt or ''
if naming == 'only' and attempt ~= slotId and not isRefused then return nil end
if attempt ~= '' then slotId = attempt end
for _, i in ipairs(slots or {}) do
local limit = checks[i] and checks[i].limit
local holds = limit and limit.kernel.holds
if not holds or not holds(limitStateOf(limit, texts[i], nowMs).state, slotId, nowMs) then return nil end
end
local atMs = table.remove(first, 1)
local names = attempt .. struct.pack('<d', #marks) .. marks
return struct.pack('<dddd', nowMs, -4, atMs, #attempt) .. names .. packed(first, #first)
end`,consume:`opened = opened or {}
local function readPlainRound(round, limits, nowMs)
local checks, costs = {}, {}
local _, times, step, notAfterMs, at = readRound(round, {}, costs)
for text in string.gmatch(string.sub(round, at), '[^\\n]+') do
local i = #checks + 1
checks[i] = { limit = limitBy(text, limits, nowMs), cost = costs[i] }
end
return checks, costs, step, times, notAfterMs
end
local function readAnyRound(position, limits, nowMs)
local mode, times, notAfterMs, checks, costs, step, isOutside, instead, atLeast, id, holdMs, naming
if string.byte(ARGV[position]) <= 31 then
checks, costs, step, times, notAfterMs = readPlainRound(ARGV[position], limits, nowMs)
position = position + 1
else
times, mode, notAfterMs = tonumber(ARGV[position]), ARGV[position + 1], tonumber(ARGV[position + 2])
atLeast, id, holdMs, naming = tonumber(ARGV[position + 4]), ARGV[position + 5], tonumber(ARGV[position + 6]), ARGV[position + 7]
if id == '' then id = nil end
checks, isOutside, position = checksAt(position + 8, tonumber(ARGV[position + 3]), limits, nowMs)
end
if notAfterMs and nowMs > notAfterMs then
instead = -1
elseif isOutside then
instead = -2
elseif #checks == 0 then
instead = 0
end
return position, times, mode, checks, costs, step, instead, atLeast, id, holdMs, naming
end
local function openState(limit, key, text, known, toWrite, nowMs)
if not known then return limitStateOf(limit, text, nowMs) end
if known == true then return limitStateOf(limit, redis.call('GET', key), nowMs) end
text = known.text
if toWrite == known then text = keptMs(known, nowMs) > 0 and encoded(known, 0) or known.state.heldUntilMs and heldAlone(known) end
local self = limitStateOf(limit, text, nowMs)
if toWrite then self.state.keptUntilMs = nil end
return self
end
local function settle(self, units, isSpent, isRequestRefused, id, nowMs)
local limit, isChanged = self.limit, self.isCorrected
local kernel = limit.kernel
if not isSpent then
if limit.blockMs or limit.countRejected then isChanged = refuse(self, units, isRequestRefused, nowMs) or isChanged end
elseif units ~= 0 then
kernel.spend(self.state, limit, units, nowMs, id)
if limit.countRejected == true then self.admittedMs = nowMs end
isChanged = true
end
if isChanged then self.free, self.isCorrected, self.resetAfterMs = kernel.available(self.state, limit, nowMs), false, false end
return isChanged
end
local function askAll(checks, keyCount, inHand, opened, changed, texts, mode, atLeast, id, nowMs)
local isAllowed, taken, largest = true, nil, 0
local limitStates, admitted, delays, overQuotas = inHand.limitStates, inHand.admitted, inHand.delays, inHand.overQuotas
for i = 1, #checks do
local check, key = checks[i], KEYS[keyCount + i]
local limit, cost, self = check.limit, check.cost, opened[key]
if type(self) ~= 'table' or self.limit ~= limit then
self = openState(limit, key, texts[keyCount + i], self, changed[key], nowMs)
opened[key] = self
end
if limit.lend then
inHand.guarantees = inHand.guarantees or guarantees(nowMs)
inHand.guarantees.keepFree(limit, limitStates[i - 1])
inHand.margins[i] = limit.margin
end
local delayMs, isAdmitted, overQuota = limit.kernel.delayMs, admits(self, atLeast or cost, id, nowMs)
if mode == 'keep' and not (limit.kernel.holds and limit.kernel.holds(self.state, id, nowMs)) then isAdmitted, overQuota = false, 0 end
limitStates[i] = self
if limit.lend then isAdmitted, overQuota = inHand.guarantees.grant(inHand, i, isAdmitted, cost, id) end
limitStates[i], admitted[i], overQuotas[i] = self, isAdmitted, overQuota
delays[i] = isAdmitted and delayMs and delayMs(self.state, limit, nowMs) or 0
if check.mark ~= '1' then
isAllowed = isAllowed and isAdmitted
if atLeast then
local fits = nowMs < self.blockEndsMs and 0 or max(0, self.free + keptBack(limit))
taken = min(taken or cost, cost, isAdmitted and max(fits, atLeast) or fits)
end
end
if cost > largest then largest = cost end
end
return isAllowed, atLeast and (taken or largest)
end
local function settleAll(checks, keyCount, inHand, changed, changedKeys, mode, isAllowed, taken, atLeast, id, reply, length, nowMs)
local maySpend = isAllowed and mode ~= 'refuse' or mode == 'renew' or mode == 'keep'
for i = 1, #checks do
local self, cost, isAdmitted, key = inHand.limitStates[i], checks[i].cost, inHand.admitted[i], KEYS[keyCount + i]
local isSpent, lend, room, roomAfterMs = maySpend and isAdmitted, self.limit.lend, nil, nil
if lend then self.limit.margin = inHand.margins[i] end
if mode ~= 'peek' and settle(self, isSpent and taken or not isSpent and atLeast or cost, isSpent, not maySpend, id, nowMs) then
if not changed[key] then changedKeys[#changedKeys + 1] = key end
changed[key] = self
end
if lend then room, roomAfterMs = inHand.guarantees.room(inHand, i, checks) end
length = addVerdict(reply, length, self, isAdmitted, cost, inHand.delays[i], inHand.overQuotas[i], nowMs, room, roomAfterMs)
end
return length
end
local function writeChanges(keys, states, nowMs, leastTtlMs)
for i = 1, #keys do
local failure = write(keys[i], states[keys[i]], nowMs, leastTtlMs)
if failure then return failure end
end
end
local function replyWith(failure, changed, reply, starts, keysBefore, asked)
local corrected, length = {}, starts[1] - 1
for i = 1, length do corrected[i] = reply[i] end
for i = 1, asked do
local hasFailed = false
for key = keysBefore[i] + 1, keysBefore[i + 1] do hasFailed = hasFailed or changed[KEYS[key]] end
for j = starts[i], hasFailed and starts[i] or starts[i + 1] - 1 do
length = length + 1
corrected[length] = hasFailed and failure or reply[j]
end
end
return corrected, length
end
local changed, changedKeys = {}, {}
local starts, keysBefore, asked = {}, {}, 0
local inHand = { limitStates = {}, admitted = {}, delays = {}, overQuotas = {}, margins = {} }
local mode, holdMs, heldKey, attempt, marks, isRefused
local slots = {}
while ARGV[position] do
local times, checks, costs, step, instead, atLeast, id, naming
position, times, mode, checks, costs, step, instead, atLeast, id, holdMs, naming = readAnyRound(position, limits, nowMs)
if holdMs and instead ~= -1 then
heldKey = KEYS[#KEYS]
attempt, marks = naming ~= '' and id or '', marksOf(checks)
if isUnknownRecord(texts[#KEYS]) or hasUnknownForm(texts, 0, #checks) then return packed({ nowMs, -5 }, 2) end
local first = repeatedReply(texts[#KEYS], checks, texts, id, naming, nowMs)
if first then return first end
end
for n = answered + 1, times do
for i = 1, costs and #checks or 0 do checks[i].cost = costs[(n - 1) * step + i] end
asked = asked + 1
starts[asked], keysBefore[asked] = length + 1, keyCount
local refused = instead or hasUnknownForm(texts, keyCount, #checks) and -5
if refused then
length = length + 1
reply[length] = refused
else
local isAllowed, taken = askAll(checks, keyCount, inHand, opened, changed, texts, mode, atLeast, id, nowMs)
if atLeast then
length = length + 1
reply[length] = isAllowed and taken or 0
end
length = settleAll(checks, keyCount, inHand, changed, changedKeys, mode, isAllowed, taken, atLeast, id, reply, length, nowMs)
isRefused = not isAllowed
for i = 1, heldKey and isAllowed and #checks or 0 do
if inHand.admitted[i] and checks[i].limit.kernel.holds and checks[i].cost > 0 then slots[#slots + 1] = i end
end
end
keyCount = keyCount + #checks
end
answered = 0
end
local failure = writeChanges(changedKeys, changed, nowMs, leastTtlMs)
if failure then
starts[asked + 1], keysBefore[asked + 1] = length + 1, keyCount
reply, length = replyWith(failure, changed, reply, starts, keysBefore, asked)
end
local isAnswered = type(reply[2]) == 'number' and reply[2] >= 0
if heldKey and mode ~= 'peek' and isAnswered then
remember(heldKey, holdMs, nowMs, leastTtlMs, reply, attempt, slots, marks, isRefused)
end
return packed(reply, length)`,adjust:`local APPLIED, REPEATED, EXPIRED, OUTSIDE_EDGES, GIVEN_BACK = 1, 2, 3, 4, 5
local DAY_MS = 86400000
local id, keptUntilMs, notAfterMs, isUnspent = ARGV[1], tonumber(ARGV[2]) or 0, tonumber(ARGV[3]), ARGV[4] == '1'
if id == '' then id = nil end
local checks, isOutside = checksAt(7, tonumber(ARGV[6]), limits, nowMs)
if isOutside then return packed({ nowMs, OUTSIDE_EDGES }, 2) end
local madeKey, result = KEYS[#checks + 1], nil
if hasUnknownForm(texts, 0, #checks) or madeKey and isUnknownRecord(texts[#checks + 1]) then return packed({ nowMs, -5 }, 2) end
if notAfterMs and nowMs > notAfterMs then
result = EXPIRED
elseif madeKey then
local made = recall(texts[#checks + 1], nowMs)
result = made == GIVEN_BACK and GIVEN_BACK or made and REPEATED or nil
end
local function correct(self, cost, atMs)
local limit = self.limit
local kernel = limit.kernel
if cost >= 0 then
if cost == 0 or kernel.holds then return false end
kernel.spend(self.state, limit, cost, nowMs)
return true
end
local isTooLate = atMs and limit.keepForMs and nowMs - atMs >= limit.keepForMs
if self.free >= limit.quota or isTooLate then return false end
return kernel.refund(self.state, limit, { units = -cost, atMs = atMs, id = id, unspent = isUnspent }, nowMs)
end
local isMade, isApplied, madeMs, toWrite = result == nil, false, 0, {}
local reply, length = { nowMs, EXPIRED }, 2
local inHand = { limitStates = {}, admitted = {}, delays = {}, overQuotas = {} }
for i, check in ipairs(checks) do
local limit = check.limit
local kernel, self = limit.kernel, limitStateOf(limit, texts[i], nowMs)
if isMade then
madeMs = max(madeMs, keptMs(self, nowMs))
local isChanged = correct(self, check.cost, tonumber(check.mark))
if isChanged then self.free, isApplied = kernel.available(self.state, limit, nowMs), true end
madeMs = max(madeMs, keptMs(self, nowMs))
toWrite[i] = isChanged or self.isCorrected
end
check.cost = 1
inHand.limitStates[i] = self
end
for i, self in ipairs(inHand.limitStates) do
local limit, guarantee = self.limit, nil
if limit.lend then
guarantee = guarantees(nowMs)
guarantee.keepFree(limit, inHand.limitStates[i - 1])
end
local delayMs, isAdmitted, overQuota = limit.kernel.delayMs, admits(self, 1, nil, nowMs)
if guarantee then isAdmitted, overQuota = guarantee.grant(inHand, i, isAdmitted, 1, nil) end
inHand.admitted[i], inHand.overQuotas[i] = isAdmitted, overQuota
inHand.delays[i] = isAdmitted and delayMs and delayMs(self.state, limit, nowMs) or 0
end
for i, self in ipairs(inHand.limitStates) do
local room, roomAfterMs
if self.limit.lend then room, roomAfterMs = guarantees(nowMs).room(inHand, i, checks) end
length = addVerdict(reply, length, self, inHand.admitted[i], 1, inHand.delays[i], inHand.overQuotas[i], nowMs, room, roomAfterMs)
end
for i, self in ipairs(inHand.limitStates) do
local failure = toWrite[i] and write(KEYS[i], self, nowMs, leastTtlMs)
if failure then error(failure) end
end
if isUnspent and notAfterMs then madeMs = min(madeMs, notAfterMs + 1 - nowMs) end
madeMs = max(min(madeMs, DAY_MS), keptUntilMs + 1 - nowMs)
if isMade and madeKey and madeMs > 0 then remember(madeKey, madeMs, nowMs, leastTtlMs, ARGV[5] == '1' and GIVEN_BACK or true) end
reply[2] = result or isApplied and APPLIED or EXPIRED
return packed(reply, length)`,"block-list":`local function keepList(held, begun, notes, forMs, leastTtlMs)
for _, key in ipairs({ held, begun, notes }) do
redis.call('PEXPIRE', key, string.format('%d', max(redis.call('PTTL', key), forMs, leastTtlMs)))
end
end
local function removeFrom(key, notes, mark, hashes)
if #hashes == 0 then return end
redis.call('ZREM', key, unpack(hashes))
for i = 1, #hashes do hashes[i] = mark .. hashes[i] end
redis.call('HDEL', notes, unpack(hashes))
end
local function removeEnded(key, notes, mark, nowMs)
removeFrom(key, notes, mark, redis.call('ZRANGEBYSCORE', key, '-inf', nowMs, 'LIMIT', 0, 1000))
end
local function trimBegun(held, begun, notes)
local more = redis.call('ZCARD', held) + redis.call('ZCARD', begun) - 10000
while more > 0 do
local first = redis.call('ZRANGE', begun, 0, min(more, 1000) - 1)
if #first == 0 then return end
more = more - #first
removeFrom(begun, notes, 'l', first)
end
end`,block:`local verb, states, hash, forMs, note = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), ARGV[5]
local held, begun, notes = KEYS[states + 1], KEYS[states + 2], KEYS[states + 3]
local isServerTime = leastTtlMs == 0
for i = 1, states do
local version = texts[i] and string.byte(texts[i])
if version and (version < 1 or version > 3) then return { nowMs, -5 } end
end
local function headOf(text)
local version = text and string.byte(text)
if version == 3 then
local _, blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, first = struct.unpack('<Bi7i7i6i7i7', text)
return blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, string.sub(text, first)
end
if version == 2 then
local _, blockEndsMs, admittedMs, first = struct.unpack('<Bi7i7', text)
return blockEndsMs, admittedMs, 0, 0, 0, string.sub(text, first)
end
return 0, -1, 0, 0, 0, version == 1 and text or ''
end
local function set(key, text, forMs)
redis.call('SET', key, text, 'PX', string.format('%d', max(forMs, leastTtlMs, 1)))
end
local function block(untilMs)
for i = 1, states do
local blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, state = headOf(texts[i])
local ttlMs = texts[i] and redis.call('PTTL', KEYS[i]) or 0
if heldUntilMs == 0 then keptUntilMs = nowMs + max(0, ttlMs) end
heldUntilMs = max(heldUntilMs, untilMs)
set(KEYS[i], struct.pack('<Bi7i7i6i7i7', 3, blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs) .. state, max(forMs or 3155760000000, ttlMs))
end
end
local function unblock()
local isLifted = 0
for i = 1, states do
local blockEndsMs, admittedMs, strikes, heldUntilMs, keptUntilMs, state = headOf(texts[i])
if blockEndsMs > nowMs or heldUntilMs > nowMs then isLifted = 1 end
if blockEndsMs ~= 0 or heldUntilMs ~= 0 or strikes ~= 0 then
if admittedMs ~= -1 then state = struct.pack('<Bi7i7', 2, 0, admittedMs) .. state end
if state == '' or (heldUntilMs ~= 0 and keptUntilMs <= nowMs and isServerTime) then
redis.call('DEL', KEYS[i])
elseif heldUntilMs ~= 0 then
set(KEYS[i], state, keptUntilMs - nowMs)
else
redis.call('SET', KEYS[i], state, 'KEEPTTL')
end
end
end
return isLifted
end
if verb == 'find' then
local ownMs, ownStrikes, lastMs = 0, 0, 0
for i = 1, states do
local blockEndsMs, _, strikes, heldUntilMs = headOf(texts[i])
if blockEndsMs > ownMs then ownMs, ownStrikes = blockEndsMs, max(1, strikes) end
lastMs = max(lastMs, heldUntilMs)
end
return { nowMs, ownMs, ownStrikes, lastMs == 9007199254740991 and -1 or lastMs, notes and redis.call('HGET', notes, 'a' .. hash) or '' }
end
if verb == 'unblock' then
local isLifted = unblock()
if held then
if redis.call('ZREM', held, hash) + redis.call('ZREM', begun, hash) > 0 then redis.call('HDEL', notes, 'a' .. hash, 'l' .. hash) end
end
return { nowMs, isLifted }
end
local untilMs = forMs and nowMs + forMs or 9007199254740991
local listedMs = held and tonumber(redis.call('ZSCORE', held, hash) or nil)
if held then
local isFull = not listedMs and redis.call('ZCARD', held) >= 10000
if isServerTime or isFull then removeEnded(held, notes, 'a', nowMs) end
if isFull and redis.call('ZCARD', held) >= 10000 then return { nowMs, 0 } end
end
block(untilMs)
if held and (not listedMs or listedMs < untilMs) then
redis.call('ZADD', held, string.format('%d', untilMs), hash)
if note ~= '' then redis.call('HSET', notes, 'a' .. hash, note) else redis.call('HDEL', notes, 'a' .. hash) end
trimBegun(held, begun, notes)
keepList(held, begun, notes, forMs or 3155760000000, leastTtlMs)
end
return { nowMs, 1 }`,blocks:`local held, begun, notes = KEYS[1], KEYS[2], KEYS[3]
local function read(key, mark, from, skipped, count)
if count == 0 then return {} end
local entries = redis.call('ZRANGEBYSCORE', key, from, '+inf', 'WITHSCORES', 'LIMIT', skipped, count)
local read = {}
for i = 1, #entries, 2 do
read[#read + 1], read[#read + 2], read[#read + 3] = entries[i], entries[i + 1], redis.call('HGET', notes, mark .. entries[i]) or ''
end
return read
end
if ARGV[1] == 'read' then
local from = tonumber(ARGV[2])
from = from > nowMs and string.format('%d', from) or string.format('(%d', nowMs)
return { nowMs, read(held, 'a', from, ARGV[3], ARGV[4] + 0), read(begun, 'l', from, ARGV[5], ARGV[6] + 0) }
end
if leastTtlMs == 0 then removeEnded(begun, notes, 'l', nowMs) end
local lastMs, ends, noted, first = 0, {}, {}, {}
for i = 2, #ARGV, 3 do
local hash, untilMs, strikes = ARGV[i], ARGV[i + 1], ARGV[i + 2]
ends[#ends + 1], ends[#ends + 2] = untilMs, hash
if strikes == '1' then first[#first + 1] = 'l' .. hash else noted[#noted + 1], noted[#noted + 2] = 'l' .. hash, strikes end
lastMs = max(lastMs, untilMs + 0)
end
redis.call('ZADD', begun, unpack(ends))
if #first > 0 then redis.call('HDEL', notes, unpack(first)) end
if #noted > 0 then redis.call('HSET', notes, unpack(noted)) end
trimBegun(held, begun, notes)
keepList(held, begun, notes, lastMs - nowMs, leastTtlMs)
return { nowMs }`,time:`local time = redis.call('TIME')
local micros = time[2] + 0
local nowMs, leastTtlMs = time[1] * 1000 + (micros - micros % 1000) / 1000, 0`,clock:"local nowMs, leastTtlMs = tonumber(table.remove(ARGV)), 600000"},ya={"token-bucket":{part:"plain-bucket",decide:"plainBucket",algorithmCode:1},"leaky-bucket":{part:"plain-bucket",decide:"plainBucket",algorithmCode:1},"sliding-window-counter":{part:"plain-counter",decide:"plainCounter",algorithmCode:2},"fixed-window":{part:"plain-fixed-window",decide:"plainFixedWindow",algorithmCode:3},"sliding-window":{part:"plain-sliding",decide:"plainSliding",algorithmCode:4},"sliding-window-log":{part:"plain-sliding",decide:"plainSliding",algorithmCode:4}},ga={concurrency:["concurrency"],"fixed-window":["fixed-window"],"leaky-bucket":["bucket","leaky-bucket"],"sliding-window-counter":["sliding-window-counter"],"sliding-window-log":["sliding","sliding-window-log"],"sliding-window":["sliding","sliding-window"],"token-bucket":["bucket","token-bucket"]},ag={consume:["TIME","PLAINS","first-state","lone","prelude","states","plain","limits","KERNELS","limit-state","guarantee","reply","operation-record","consume"],adjust:["TIME","first-state","prelude","states","limits","KERNELS","limit-state","guarantee","reply","operation-record","adjust"],block:["TIME","first-state","prelude","states","block-list","block"],blocks:["TIME","prelude","block-list","blocks"]};var ug=new WeakMap,q0=Object.fromEntries(X.map(({algorithm:n},e)=>[n,1<<e])),ka,ur;function je(n){return n===ka&&ur?ur:cg(n)??H0(n)}o(je,"scriptedLimit");function cg(n){return n===ka||(ur=ug.get(n),ka=n),ur}o(cg,"known");function H0(n){let e={text:z0(n),plain:Y0(n),algorithmBit:q0[n.algorithm]??0,usesSlots:n.leaseMs!==void 0,shortSize:dg(n,!0),longSize:dg(n,!1),isCountable:!1};return ug.set(n,e),ka=n,ur=e,e}o(H0,"newScripted");function fg(n){let e=cg(n);if(e?.isCountable)return e;if(!Object.hasOwn(ga,n.algorithm))throw new g("SLUICE_UNSUPPORTED",`no store supports the algorithm ${JSON.stringify(n.algorithm)}`);let t=je(Ke(n,"limit"));return t.isCountable=!0,t}o(fg,"countableLimit");function wa({limit:n,calendarBoundsMs:e,margin:t,lend:r}){let{text:i}=je(n);if(!e&&!t&&r===void 0)return i;let s=r===void 0?"":`,"lend":${r}`,a=`${t?`,"margin":${t}`:""}${s}${e?`,"calendarBoundsMs":[${e.join()}]`:""}`;return`${i.slice(0,-1)}${a}}`}o(wa,"limitText");function z0({name:n,calendar:e,capacity:t,...r}){return JSON.stringify(r)}o(z0,"textOf");var Ot=-1;function Y0(n){let{algorithm:e,quota:t,blockMs:r,countRejected:i,calendar:s,byInterval:a,keepForMs:l}=n;if(t<=0||r!==void 0||i||s||a||l!==void 0)return;let d=Z0(n);if(!d||![t,...d].every(Number.isSafeInteger))return;let{algorithmCode:u}=ya[e],[c,f,m]=d;return{algorithmCode:u,numbers:Be(t)+Be(c)+Be(f),c:m}}o(Y0,"plainOf");function Z0(n){let{algorithm:e,windowMs:t=0,align:r,refillUnits:i=0,refillPeriodMs:s=0,immediate:a=0}=n;switch(e){case"fixed-window":return[t,r==="first-request"?1:0,Ot];case"sliding-window":return[t,Q0(n),Ot];case"sliding-window-log":return[t,1,Ot];case"sliding-window-counter":return[t,0,Ot];case"token-bucket":return[i,s,Ot];case"leaky-bucket":return[i,s,a];default:return}}o(Z0,"plainNumbers");function Q0({quota:n,windowMs:e=0,buckets:t=1,coarse:r}){return n<=t&&!r?1:Math.ceil(e/t)}o(Q0,"subWindowMs");var lg=2,J0=8,X0=32;function dg(n,e){let{algorithm:t,buckets:r=0,blockMs:i,countRejected:s}=n,a=W[t]?.listLength(n);if(a!==void 0)return lg+Math.floor(a/J0);let l=e&&i===void 0&&s===void 0;return Math.floor(r/X0)+(l?1:lg)}o(dg,"sizeOf");var Ue="";function Sa(n){let e=[],t;for(let r=0;r<n.length;){let i=n[r],s=va(i),a=s?fA(n,r):cA(n,r);s?e.push(rA(n,r,a)):(t??=new Ma(e),aA(e,i,a-r,t)),r=a}return e}o(Sa,"consumeArguments");function pg(n){let{checks:e,atMs:t,id:r,keptUntilMs:i,notAfterMs:s,unspent:a,givesBack:l}=n,u=[...[r??Ue,i??Ue,s??Ue],a?1:Ue,l?1:Ue,e.length],c=new Ma(u);for(let f of e)c.push(f),u.push(f.cost,f.atMs??t??Ue);return u}o(pg,"adjustArguments");var eA=31,tA=127,nA=8,ba=127;function rA(n,e,t){let r=n[e],{checks:i,notAfterMs:s=Number.MAX_SAFE_INTEGER}=r,a=!1;for(let d=e+1;d<t&&!a;d+=1)a=!hA(r,n[d]);let l=String.fromCharCode(i.length,t-e,a?1:0)+oA(s);for(let d=0;d<i.length;d+=1)l+=iA(i[d]);for(let d=e+1;a&&d<t;d+=1)l+=sA(n[d]);l+=wa(i[0]);for(let d=1;d<i.length;d+=1)l+=`
${wa(i[d])}`;return l}o(rA,"plainRound");function iA({limit:n,cost:e,margin:t}){let{algorithmCode:r,numbers:i,c:s}=je(n).plain,a=e>=ba,l=t||s!==Ot,d=String.fromCharCode(l?r+nA:r,a?ba:e)+i;if(!l&&!a)return d;let u=l?Be(s-Ot)+Be((t??0)+n.quota):"";return d+u+(a?Be(e):"")}o(iA,"packedCheck");function sA({checks:n}){let e="";for(let t=0;t<n.length;t+=1){let{cost:r}=n[t];e+=r<ba?String.fromCharCode(r):String.fromCharCode(ba)+Be(r)}return e}o(sA,"packedCosts");var mg=0,hg=Be(0);function oA(n){return n!==mg&&(hg=Be(n),mg=n),hg}o(oA,"packedTime");function aA(n,e,t,r){let{checks:i,notAfterMs:s=Ue,atLeast:a=Ue}=e,l=ue(e)??Ue;n.push(t,dA(e),s,i.length,a,l,Aa(e)??Ue,lA(e));for(let d of i)r.push(d),n.push(d.cost,d.shadow?1:0)}o(aA,"pushRound");function lA({attempt:n,onlyAttempt:e}){return n===void 0?Ue:e?"only":"any"}o(lA,"namingOf");function dA({peek:n,renew:e}){return n?n==="refused"?"refuse":"peek":e?e==="held"?"keep":"renew":"spend"}o(dA,"modeOf");function va({checks:n,peek:e,renew:t,atLeast:r,id:i,notAfterMs:s=1}){if(e||t||r!==void 0||i!==void 0||n.length===0||n.length>eA||s<1||!Number.isSafeInteger(s))return!1;for(let a=0;a<n.length;a+=1)if(!uA(n[a]))return!1;return!0}o(va,"isPlainAsk");function uA({limit:n,cost:e,margin:t=0,shadow:r,lend:i,calendarBoundsMs:s}){return r||i!==void 0||s||e<=0||t!==0&&(Math.abs(t)>n.quota||!Number.isSafeInteger(t+n.quota))?!1:je(n).plain!==void 0}o(uA,"isPlainCheck");function Aa(n){return ee(n)?n.holdMs:void 0}o(Aa,"heldMs");function cA(n,e){let t=e+1;for(;t<n.length&&pA(n[e],n[t]);)t+=1;return t}o(cA,"endOfRound");function fA(n,e){let t=n[e],r=e+1;for(;r<n.length&&r-e<tA&&mA(t,n[r]);)r+=1;return r}o(fA,"endOfPlainRound");function mA(n,e){if(n.notAfterMs!==e.notAfterMs||n.checks.length!==e.checks.length)return!1;for(let t=0;t<n.checks.length;t+=1){let{limit:r,margin:i}=n.checks[t],s=e.checks[t];if(s.limit!==r||(s.margin??0)!==(i??0))return!1}return va(e)}o(mA,"isPlainLike");function hA(n,e){for(let t=0;t<n.checks.length;t+=1)if(n.checks[t].cost!==e.checks[t].cost)return!1;return!0}o(hA,"haveSameCosts");function pA(n,e){if(n.id!==void 0||e.id!==void 0||n.notAfterMs!==e.notAfterMs||n.atLeast!==e.atLeast||n.peek!==e.peek||n.renew!==e.renew||n.checks.length!==e.checks.length)return!1;for(let t=0;t<n.checks.length;t+=1)if(!yA(n.checks[t],e.checks[t]))return!1;return!0}o(pA,"isLike");function yA(n,e){return Ur(n,e)&&n.calendarBoundsMs===e.calendarBoundsMs}o(yA,"isLikeCheck");var Ma=class{static{o(this,"Limits")}#e;#t;#n=0;#r;constructor(e){this.#e=e}push(e){let t=wa(e),r=this.#e.length+1;if(this.#t===void 0){this.#t=t,this.#n=r,this.#e.push(t);return}if(this.#t===t){this.#e.push(this.#n);return}this.#r??=new Map;let i=this.#r.get(t);i===void 0&&this.#r.set(t,r),this.#e.push(i??t)}};var Ca=class{static{o(this,"Batcher")}#e;#t=[];#n=0;#r=0;#i=0;#s=!1;#o=[];constructor(e){this.#e=e}get isIdle(){return this.#r===0&&this.#t.length===0}get#a(){return this.#r===0?this.#e.room/2:this.#e.room}get#l(){return this.#r!==1?this.#r===0:this.#n>=this.#i&&this.#n>=this.#e.room/8}ask(e,t){let r=this.#e.sizeOf(e);this.#t.length>0&&this.#n+r>this.#a&&this.send(),this.#t.push({question:e,receiver:t}),this.#n+=r,this.#n>=this.#a?this.send():!this.#s&&this.#l&&this.#d()}async answered(){this.send(),!this.isIdle&&await new Promise(e=>{this.#o.push(e)})}hasWaiting(e){return this.#t.some(({question:t})=>e(t))}send(){let e=this.#t,t=this.#n;if(e.length===0)return;this.#t=[],this.#n=0,this.#r+=1,this.#i+=t;let r=new Su(this,e,t);try{this.#e.send(e,r)}catch(i){r.reject(i)}}arrived(e,t,r){this.#c(t);try{this.#e.distribute(e,r)}catch(i){this.#e.fail(e,i)}this.#f()}failed(e,t,r){this.#c(t),this.#e.fail(e,r),this.#f()}#d(){this.#s=!0,this.#e.defer(this.#u)}#u=o(()=>{this.#s=!1,this.#l&&this.send()},"#sendWaiting");#c(e){this.#r-=1,this.#i-=e,this.#t.length>0&&this.#l&&this.send()}#f(){if(this.isIdle&&(this.#e.onIdle?.(),this.#o.length>0))for(let e of this.#o.splice(0))e()}},Su=class{static{o(this,"Batch")}#e;#t;#n;constructor(e,t,r){this.#e=e,this.#t=t,this.#n=r}resolve(e){this.#e.arrived(this.#t,this.#n,e)}reject(e){this.#e.failed(this.#t,this.#n,e)}};var gA=[[/subscriber mode/,"the Redis client is in subscriber mode: give the store its own client, client.duplicate()"],[/NOPERM|user executing the script/,"the Redis user lacks a permission: its ACL must allow +evalsha +eval +mget +get +set +setrange +del +unlink +time +info on its prefix, and for blocks what the README adds"],[/^(NOAUTH|WRONGPASS)/,"Redis refused the user name or the password: set the right ones on the client"],[/READONLY/,"Redis is a read-only replica: connect to the primary, or find it through Sentinel"],[/OOM command/,"Redis is full and evicts no keys: raise its maxmemory"],[/Connection is closed/,"the Redis client was closed: quit it after the store is closed"],[/unknown command/i,"Redis does not know a command of the scripts: use Redis 6.2 or newer"]];function cr(n){if(!(n instanceof Error)||n instanceof g)return n;let e=gA.find(([t])=>t.test(n.message))?.[1];return e===void 0?n:new g("SLUICE_STORE",e,{cause:n})}o(cr,"explained");function yg(){return cr(new Error("Connection is closed."))}o(yg,"closedClient");var Ea=-5,[kA,wA,bA,MA]=[-1,-2,-3,-4],[SA,vA,AA,CA,EA,OA,xA]=[1,2,4,8,16,32,64],RA=["applied","repeated","expired","outside-calendar-bounds","given-back"],gg=8,TA=127,xt=class{static{o(this,"Replies")}#e;#t;#n;#r=0;#i;constructor(e){if(!Buffer.isBuffer(e))throw en();this.#e=e,this.#t=new DataView(e.buffer,e.byteOffset,e.length),this.#n=this.#u()}next({checks:e,atLeast:t,attempt:r,holdMs:i}){let s=this.#u();if(s===MA)return this.#s(e,t);if(s<0)return this.#a(s);let a=this.#o(s,e,t);return r===void 0||i===void 0?a:{...a,attempt:r}}#s(e,t){let r=this.#u(),i=this.#c(),s=this.#c(),a=e.map((d,u)=>$t(d,s[u]==="1")),l={...this.#o(this.#u(),a,t),atMs:r,nowMs:this.#n};return i===""?l:{...l,attempt:i}}#o(e,t,r){let i=r===void 0?void 0:e;t.length>0&&i===void 0&&(this.#r-=gg);let s=new Array(t.length),a=!0;for(let d=0;d<t.length;d+=1){let u=t[d],c=this.#l(u,u.cost);a&&=c.allowed||c.shadow===!0,s[d]=c}let l={atMs:this.#n,allowed:a,verdicts:s};return i===void 0?l:{...l,taken:i}}change(e){let t=this.#u();if(t===Ea)throw kt(this.#n);let r=RA[t-1];if(!r)throw en();let i=r==="outside-calendar-bounds"?[]:e.map(s=>this.#l(s,1));return{atMs:this.#n,result:r,verdicts:i}}#a(e){if(e===wA)return{atMs:this.#n,allowed:!1,verdicts:[],outsideCalendarBounds:!0};throw e===kA?qt(this.#n):e===Ea?kt(this.#n):e===bA?new Error(this.#c()):en()}get begunBlocks(){return this.#i}#l(e,t){let{name:r,limit:i,shadow:s}=e,a=this.#u();if(a!==(a&TA))throw en();let l=this.#u(),d=kg(this.#u()),u=a&vA?kg(this.#u()):0,c=a&AA?this.#u():0,f=a&CA?this.#u():l,m=(a&SA)!==0,h=i.quota-f,y={name:r,limit:i,cost:t,allowed:m,remaining:l,used:h,resetAfterMs:d,retryAfterMs:u,delayMs:c},k=a&EA?this.#u():0,C=(a&OA)!==0;return a&xA&&this.#d(e,this.#u(),this.#u()),!s&&k===0&&!C?y:{...y,...k>0&&{overQuota:k},...C&&{blocked:!0},...s&&{shadow:s}}}#d(e,t,r){e.shadow||(this.#i??=[],this.#i.push({policy:e.policy,hash:Ie(e),untilMs:t,strikes:r}))}#u(){let e=this.#r;if(this.#r=e+gg,this.#r>this.#e.length)throw en();return this.#t.getFloat64(e,!0)+0}#c(){let e=this.#u(),t=this.#r;if(this.#r=e>=0?t+e:Number.POSITIVE_INFINITY,this.#r>this.#e.length)throw en();return this.#e.toString("utf8",t,this.#r)}};function kg(n){return n===-1?"never":n}o(kg,"waitOf");function wg(n){let e=typeof n=="string"&&/^\d+$/.test(n)?Number(n):n;if(typeof e!="number")throw en();return e}o(wg,"countIn");function en(){return new g("SLUICE_STORE","Redis gave an answer that none of the scripts gives")}o(en,"unknownAnswer");var Mg=require("node:crypto");var LA=ga;function Oa(n,e=0){let t=e;for(let r=0;r<n.length;r+=1)t|=je(n[r].limit).algorithmBit;return t}o(Oa,"algorithmMaskOf");var at=class{static{o(this,"MixedScript")}#e;#t;#n;#r=[];#i;constructor(e,t,r){this.#e=e,this.#t=t,this.#n=r}run(e,t,r){return ie(i=>this.send(e,t,r,i))}send(e,t,r,i){this.#o(e).send(t,this.#s(r),i)}load(e,t){return this.#i=this.#o(e),this.#i.load(this.#s(t))}#s(e){return this.#n&&e.push(this.#n.now()),e}#o(e){let t=e===0&&this.#i?this.#i:this.#r[e];if(!t){let r=PA(this.#t,e,this.#n!==void 0);t=new vu(this.#e,r,IA.includes(this.#t)),this.#r[e]=t}return t}},IA=["consume","adjust"];function PA(n,e,t){let r=X.filter((s,a)=>e&1<<a).map(({algorithm:s})=>s),i=new Set(r.flatMap(s=>LA[s]));return ag[n].flatMap(s=>s==="TIME"?t?dr.clock:dr.time:s==="PLAINS"?NA(r):s==="KERNELS"?[...i].map(a=>dr[a]):dr[s]).join(`
`)}o(PA,"sourceOf");function NA(n){let e=new Map;for(let s of n){let a=ya[s];a&&e.set(a.part,a)}let t=[...e.values()],r=t.map(({algorithmCode:s,decide:a})=>`[${s}]=${a}`),i=t.length>1?`nil, {${r.join()}}`:t[0]?.decide??"nil";return[...t.map(({part:s})=>dr[s]),`local decide, decides = ${i}`]}o(NA,"plainSource");var vu=class{static{o(this,"Script")}#e;#t;#n;#r;#i=!1;#s;constructor(e,t,r){this.#e=e,this.#r=r,this.#t=t,this.#n=(0,Mg.createHash)("sha1").update(t).digest("hex")}async load(e){let{isCluster:t}=this.#e,r=t?this.#e.nodes?.("master")??[]:[this.#e];this.#i||=!t;let i=await Promise.all(r.map(s=>this.#a("eval",this.#t,[],e,s)));return this.#i||=i.length>0,i}send(e,t,r){let i=this.#i;this.#i=!0,(i?this.#a("evalsha",this.#n,e,t):this.#a("eval",this.#t,e,t)).then(a=>r.resolve(a),a=>{i&&bg(a)?Y(this.#o(e,t),r):r.reject(a)})}async#o(e,t){if(this.#e.isCluster)return this.#a("eval",this.#t,e,t);if(this.#s){await this.#s.catch(()=>{});try{return await this.#a("evalsha",this.#n,e,t)}catch(r){if(!bg(r))throw r;return this.#a("eval",this.#t,e,t)}}this.#s=this.#a("eval",this.#t,e,t);try{return await this.#s}finally{this.#s=void 0}}#a(e,t,r,i,s=this.#e){let a=[t,r.length,...r,...i];return this.#r?DA(s,e,a):s.call(e,a)}};function bg(n){return n instanceof Error&&n.message.startsWith("NOSCRIPT")}o(bg,"isForgotten");function DA(n,e,t){let r=n.options?.enableAutoPipelining?n.createBuiltinCommand?.(e):void 0;return r?r.buffer.call(n,t):n.callBuffer(e,t)}o(DA,"callForBytes");var Sg=new WeakMap;function vg(n,e){let t=BA(n);return t.add(e),n.status==="ready"&&e(),()=>t.delete(e)}o(vg,"onConnected");function BA(n){let e=Sg.get(n);if(e)return e;let t=new Set;return Sg.set(n,t),n.on?.("ready",()=>{for(let r of t)r()}),t}o(BA,"listenersOf");var jA={checks:[],peek:!0},xa=class{static{o(this,"ScriptPreloader")}#e;#t;#n=[];#r=new Set;#i;#s=!1;constructor(e,t){this.#e=e,this.#t=t}onServerTime(e){this.#n.push(e)}add(e){let t=0;for(let r of e)t|=je(r).algorithmBit;t===0||this.#s||this.#r.has(t)||(this.#r.add(t),this.#i?this.#e.status==="ready"&&this.#o([t]):this.#i=vg(this.#e,()=>this.#o([...this.#r])))}async loadAll(){await Promise.all([...this.#r].map(e=>this.#a(e)))}stop(){this.#s=!0,this.#i?.()}#o(e){for(let t of e)this.#a(t).catch(()=>{})}async#a(e){let t=x(),r=await this.#t.load(e,Sa([jA]));for(let i of r){let{atMs:s}=new xt(i).next({checks:[]});for(let a of this.#n)a(s,t)}}};var Cg=64,Ra=class{static{o(this,"ConsumeBatcher")}#e;#t;#n;#r;#i;#s=new Map;#o;constructor(e,t,r,i){this.#e=e.isCluster,this.#t=t,this.#i=i,this.#n=new at(e,"consume",r),this.#r=new xa(e,this.#n),this.#o=e.isCluster?void 0:this.#a("")}ask(e,t){(this.#o??this.#a(this.#c(e,[]).join(`
`))).ask(e,t)}prepare(e){this.#r.add(e)}loadScripts(){return this.#r.loadAll()}onServerTime(e){this.#r.onServerTime(e)}stop(){this.#r.stop()}sendAbout(e){for(let t of this.#s.values())t.hasWaiting(({checks:r})=>r.some(i=>WA(i,e)))&&t.send()}async answered(){await Promise.all([...this.#s.values()].map(e=>e.answered()))}#a(e){let t=this.#s.get(e);return t||(t=this.#l(e),this.#s.set(e,t)),t}#l(e){return new Ca({send:this.#u,distribute:this.#d,fail:FA,sizeOf:UA,room:Cg,defer:process.nextTick,...this.#e&&{onIdle:o(()=>this.#s.delete(e),"onIdle")}})}#d=o((e,t)=>{let r=new xt(t);for(let s=0;s<e.length;s+=1){let{question:a,receiver:l}=e[s];try{l.resolve(r.next(a))}catch(d){l.reject(cr(d))}}let{begunBlocks:i}=r;if(i)for(let s of i)this.#i(s)},"#distribute");#u=o((e,t)=>{let r=[],i=[],s=0;for(let a=0;a<e.length;a+=1){let{question:l}=e[a];r.push(l),s=Oa(l.checks,s),this.#c(l,i)}this.#n.send(s,i,Sa(r),t)},"#send");#c(e,t){let{checks:r,id:i}=e;for(let a=0;a<r.length;a+=1)t.push(this.#t.state(r[a]));let[s]=r;return s&&i!==void 0&&Aa(e)!==void 0&&t.push(this.#t.id(s,"ask",i)),t}};function Eg(n){let{checks:e,atLeast:t}=n;t!==void 0&&Ag(t,"atLeast");for(let r=0;r<e.length;r+=1){let{limit:i,cost:s,name:a,lend:l}=e[r],{usesSlots:d}=fg(i);Ag(s,"a cost"),d&&Kt(i,a,n),l!==void 0&&vs(n,r)}}o(Eg,"checkAsk");function Ag(n,e){if(!Number.isSafeInteger(n))throw new g("SLUICE_COST",`${e} must be a safe integer, got ${n}`)}o(Ag,"checkUnits");function UA(n){if(Aa(n)!==void 0)return Cg;let e=va(n),t=0;for(let r=0;r<n.checks.length;r+=1){let{shortSize:i,longSize:s}=je(n.checks[r].limit);t+=e?i:s}return Math.max(1,t)}o(UA,"sizeOf");function FA(n,e){let t=cr(e);for(let{receiver:r}of n)r.reject(t)}o(FA,"fail");function WA({policy:n,name:e,key:t},r){return r.some(i=>i.key===t&&i.name===e&&i.policy===n)}o(WA,"isAmong");function Ta({status:n}){return n==="ready"?void 0:`the Redis client is not connected, its status is ${n}`}o(Ta,"troubleOf");var _A=50,KA=["wait","connecting","connect","close","reconnecting"];async function Og(n,e,t){let r,i=o(a=>{r=a},"listen"),s=new AbortController;n.on?.("error",i);try{let a=K.sleep(e,s.signal).then(()=>{throw VA(n,e,r)});await Promise.race([t(s.signal),a])}finally{s.abort(),n.off?.("error",i)}}o(Og,"withTimeout");function VA(n,e,t){let r=[`Redis did not answer within ${e} ms`,Ta(n),t?.message||t?.code];return new g("SLUICE_STORE",r.filter(Boolean).join(": "),t===void 0?{}:{cause:t})}o(VA,"unready");async function xg(n,e,t){for(;;){try{await e();return}catch(r){if(!KA.includes(n.status))throw r}await K.sleep(_A,t)}}o(xg,"untilConnected");async function Rg(n){let e=await qA(n);return $A(e),GA(e),n.isCluster?void 0:La(e,"run_id")}o(Rg,"inspect");function $A(n){let e=La(n,"redis_version");if(e!==void 0&&HA(e))throw p("client","must be connected to Redis 6.2 or newer",e)}o($A,"checkVersion");function GA(n){let e=La(n,"maxmemory_policy");e===void 0||e==="noeviction"||La(n,"maxmemory")==="0"||process.emitWarning(`Redis evicts keys when it is full (maxmemory-policy ${e}), and an evicted key starts again with its full limit. Set noeviction, or give Sluice its own Redis.`,{type:"SluiceWarning",code:"SLUICE_REDIS_EVICTS",detail:"See node_modules/@sluice/core/docs/errors.md"})}o(GA,"warnOfEviction");async function qA(n){try{return String(await n.call("INFO",[]))}catch{return""}}o(qA,"infoOf");function La(n,e){return new RegExp(`^${e}:(.*?)\\r?$`,"m").exec(n)?.[1]}o(La,"fieldOf");function HA(n){let[e=0,t=0]=n.split(".").map(Number);return e<6||e===6&&t<2}o(HA,"isTooOld");var Au=0,zA=100,YA=1e3,Ia=class{static{o(this,"RedisBlocks")}#e;#t;#n;#r;#i;#s=new Map;#o=new Set;constructor(e,t,r,i){this.#e=t,this.#t=new at(e,"block",r),this.#n=new at(e,"blocks",r),this.#r=i,this.#i=!e.isCluster||t.hashTag==="policy"}block(e){return this.#r.run(async()=>{let{targets:t,forMs:r,reason:i,text:s}=e,[a]=t;if(!a)return;let l=i===void 0&&s===void 0?"":JSON.stringify([i??null,s??null]),d=[r==="forever"?"":r,l];if(this.#i)return this.#d(a,await this.#u("block",t,a,d));this.#d(a,await this.#u("block",[],a,d)),await this.#u("block",t,void 0,d)})}unblock(e){return this.#r.run(async()=>{let[t]=e;if(!t)return!1;let[,r]=await this.#u("unblock",e,this.#i?t:void 0);return this.#i||this.#l(this.#u("unblock",[],t)),r===1})}find(e){return this.#r.run(async()=>{let[t]=e;if(!t)return;let[r,i,s,a,l]=await this.#u("find",e,this.#i?t:void 0),d=a===-1?Z:Number(a),u={blockEndsMs:Number(i),strikes:Number(s),heldUntilMs:d},f=!this.#i&&d>Number(r)?(await this.#u("find",[],t))[4]:l;return Zt([u],Number(r),Tg(f).reason)})}list(e,t){return this.#r.run(async()=>(await this.written(),this.#c(e,t)))}begun(e){let t=this.#s.get(e.policy);if(t){t.length<YA&&t.push(e);return}let r=[e];this.#s.set(e.policy,r),this.#l(this.#a(e.policy,r))}forget(e){let t=new Map(e.map(r=>[`${r.policy}
${r.key}`,r]));for(let r of t.values())this.#l(this.#u("unblock",[],r))}async written(){await Promise.allSettled(this.#o)}async#a(e,t){await new Promise(process.nextTick);try{for(;t.length>0;){let r=t.splice(0,zA).flatMap(({hash:i,untilMs:s,strikes:a})=>[i,s,a]);await this.#n.run(Au,this.#e.list(e),["add",...r])}}finally{this.#s.delete(e)}}#l(e){this.#o.add(e);let t=o(()=>{this.#o.delete(e)},"end");e.then(t,t)}#d({policy:e},[,t]){if(t!==1)throw Qt(e)}async#u(e,t,r,i=[]){this.#r.sendAbout(t);let s=t.flatMap(c=>this.#e.states(c)),a=r?[...s,...this.#e.list(r.policy)]:s,l=Ie(r??t[0]),d=[e,s.length,l,...i],u=ZA(await this.#t.run(Au,a,d));if(u[1]===Ea)throw kt(Number(u[0]));return u}async#c(e,{after:t,limit:r}){let i=new Pa("admin",r,t),s=new Pa("limit",r,t),a=t===void 0?0:t.untilMs==="forever"?Z:t.untilMs;for(;i.wanted+s.wanted>0;){let l=["read",a,i.skipped,i.wanted,s.skipped,s.wanted],d=await this.#n.run(Au,this.#e.list(e),l),[,u,c]=Array.isArray(d)?d:[];i.add(u),s.add(c)}return[...i.entries,...s.entries].sort(bt).slice(0,r)}},Pa=class{static{o(this,"Reading")}entries=[];#e;#t;#n;#r=0;#i=!1;constructor(e,t,r){this.#e=e,this.#t=t,this.#n=r}get skipped(){return this.#r}get wanted(){return this.#i?0:this.#t}add(e){if(this.wanted===0)return;let t=Array.isArray(e)?e:[];for(let r=0;r<t.length;r+=3){let i=this.#s(String(t[r]),Number(t[r+1]),t[r+2]);(this.#n===void 0||bt(i,this.#n)>0)&&this.entries.push(i)}this.#r+=t.length/3,this.#i=t.length<3*this.#t||this.entries.length>=this.#t}#s(e,t,r){return this.#e==="limit"?{hash:e,untilMs:t,by:"limit",strikes:r===""?1:Number(r)}:{hash:e,untilMs:He(t),by:"admin",strikes:0,...Tg(r)}}};function Tg(n){let e=typeof n=="string"&&n.startsWith("[")?JSON.parse(n):[],[t,r]=Array.isArray(e)?e:[];return{...typeof t=="string"&&{reason:t},...typeof r=="string"&&{text:r}}}o(Tg,"noteIn");function ZA(n){return(Array.isArray(n)?n:[]).map(t=>typeof t=="string"&&/^-?\d+$/.test(t)?Number(t):t)}o(ZA,"numbersIn");var Cu=1,Na=class{static{o(this,"RedisKeys")}prefix;hashTag;#e=new WeakMap;#t={limit:void 0,policy:"",name:"",text:""};constructor(e,t){this.prefix=e,this.hashTag=t}state({policy:e,name:t,key:r,limit:i}){let s=this.#t;return(s.limit===i&&s.policy===e&&s.name===t?s:this.#n(i,e,t)).text+this.#i(r)}#n(e,t,r){let i=this.#e.get(e);return(i?.policy!==t||i.name!==r)&&(i={limit:e,policy:t,name:r,text:this.#r(U(e).tag,t,r)},this.#e.set(e,i)),this.#t=i,i}states({policy:e,name:t,key:r}){return X.map(({tag:i})=>this.#r(i,e,t)+this.#i(r))}list(e){let t=`${this.prefix}${Cu}:blocks:{${tn(e)}}`;return[`${t}:held`,`${t}:begun`,`${t}:notes`]}id(e,t,r){return`${this.prefix}${Cu}:${t}:{${this.tag(e)}}:${r}`}tag({policy:e,key:t}){return tn(this.hashTag==="subject"?t:e)}#r(e,t,r){let i=this.hashTag==="subject"?tn(t):`{${tn(t)}}`;return`${this.prefix}${Cu}:${e}:${i}:${tn(r)}:`}#i(e){return this.hashTag==="subject"?`{${tn(e)}}`:tn(e)}};function tn(n){return n===""?"%":/[{}:%\r\n]/.test(n)?n.replace(/[{}:%\r\n]/g,e=>`%${e.charCodeAt(0).toString(16).padStart(2,"0")}`):n}o(tn,"escaped");var Lg=new WeakMap;function Ig(n,e,t){let r=Lg.get(n);r||(r=new Map,Lg.set(n,r));let i=Ng(e,t),s=r.get(i);return s||(s={},r.set(i,s)),new ke(s,{place:`this Redis client and the prefix ${JSON.stringify(e)}`,suggestion:"give one of the stores another prefix"})}o(Ig,"keyspaceOf");function Pg({options:n},{prefix:e,hashTag:t},r){return`redis ${r} ${n?.db??0} ${Ng(e,t)}`}o(Pg,"identityOf");var Ng=o((n,e)=>`${e} ${n}`,"namingOf");function Dg(n){if(typeof n?.call!="function"||typeof n.callBuffer!="function")throw p("client","must be an ioredis client: new Redis(url)",n);return QA(n),n}o(Dg,"checkClient");function Bg(n){if(typeof n=="string"&&/^[^{}\s]{0,64}$/.test(n))return n;throw p("prefix","must be at most 64 characters without spaces and braces",n)}o(Bg,"checkPrefix");function QA({isCluster:n,options:e}){let t=String(e?.keyPrefix??"");if(!(!n||!t.includes("{")||/^[^{]*\{[^}]+\}/.test(t)))throw p("client","must have no keyPrefix that opens a hash tag and leaves it open or empty",t)}o(QA,"checkKeyPrefix");var JA=1e3,Eu={policy:"",name:"",key:"",limit:Bt({limit:1,window:"1s"}),cost:1},ki=class n{static{o(this,"RedisStore")}async=!0;name;clock;supports;remote;keyspaces;blocks;#e;#t;#n;#r;#i;#s={consume:o(e=>ie(t=>this.#n.ask(e,t)),"consume"),adjust:o(e=>this.#p(e),"adjust")};#o=new Set;#a;#l=!1;#d=!1;constructor(e){E(e,["name","client","prefix","timeout","instances","hashTag","clock"]);let{name:t="redis",client:r,clock:i,prefix:s="sluice:",timeout:a=50,instances:l=1,hashTag:d="subject"}=e;this.name=J(t,"name"),this.#e=Dg(r),this.#t=new Na(Bg(s),j(d,"hashTag",["subject","policy"])),this.#r=new at(r,"adjust",i),this.#i=new Ia(r,this.#t,i,{run:o(u=>this.#b(u),"run"),sendAbout:o(u=>this.#n.sendAbout(u),"sendAbout")}),this.blocks=this.#i,this.#n=new Ra(r,this.#t,i,u=>this.#i.begun(u)),this.clock=Ut(i),this.supports={atomicAcrossKeys:!r.isCluster},this.keyspaces=[Ig(r,s,d)],this.#n.onServerTime(()=>{this.#f()}),this.remote={timeoutMs:lt(a,"timeout"),instances:v(l,"instances",1),trouble:o(()=>Ta(r),"trouble"),onServerTime:o(u=>this.#n.onServerTime(u),"onServerTime"),...r.isCluster&&{placement:new pa(r,this.#t)}}}async ready(e={}){E(e,["timeout"]);let{timeout:t=5e3}=e;await Og(this.#e,R(t,"timeout"),async r=>{await xg(this.#e,()=>this.#g(),r),await this.#n.loadScripts(),await this.#M()})}accept({limits:e}){this.#n.prepare(e.flatMap(({limit:i})=>i&&i.algorithm!=="unlimited"?[i]:[]));let t=e.find(({usesGuarantee:i})=>i);if(!t||!this.#e.isCluster||this.#t.hashTag==="policy")return;let r=`must be 'policy' in a cluster, because the limit ${JSON.stringify(t.name)} has a guarantee: one step has to reach all its keys`;throw p("hashTag",r,this.#t.hashTag)}consume(e){return ie(t=>this.#u(e,t))}directConsume(){return this.consume===n.prototype.consume?{known:o(()=>{},"known"),ask:this.#u}:void 0}adjust(e){return this.#b(()=>this.#h(e))}reset(e){return this.#b(()=>this.#w(e))}async close(){this.#d=!0,this.#n.stop(),this.keyspaces[0].close();let e=new AbortController,t=K.sleep(this.remote.timeoutMs,e.signal).catch(()=>{}),r=this.#n.answered().then(()=>this.#i.written());await Promise.race([Promise.all([r,Promise.allSettled(this.#o)]),t]),e.abort()}#u=o((e,t)=>{try{this.#k(),Eg(e);let r=this.#l?t:this.#c(t),i=this.#e.isCluster?this.#y(e.checks):[];i.length>1?this.#m(e,i,r):this.#n.ask(e,r)}catch(r){t.reject(r)}},"#ask");#c(e){return{resolve:o(t=>{this.#f(),e.resolve(t)},"resolve"),reject:o(t=>e.reject(t),"reject")}}async#f(){this.#l||(this.#l=!0,await K.sleep(JA,void 0,{unref:!0}),this.#d||await this.#M().catch(()=>{}))}#m(e,t,r){let i=new Pe(this.remote.timeoutMs,this.remote);Y(this.#b(()=>ii(e,t,i)),r)}async#h(e){let t=this.#y(e.checks);return t.length>1?ni(e,t):this.#p(e)}#y(e){return this.#e.isCluster?ei(e,t=>this.#t.tag(t),()=>this.#s):[]}async#p(e){let t=e.checks.map(s=>this.#t.state(s)),[r]=e.checks;r&&e.id!==void 0&&t.push(this.#t.id(r,"change",e.id)),this.#n.sendAbout(e.checks);let i=await this.#r.run(Oa(e.checks),t,pg(e));return new xt(i).change(e.checks)}async#w(e){this.#n.sendAbout(e);let t=await Promise.all(e.flatMap(r=>this.#t.states(r)).map(r=>this.#e.call("UNLINK",[r])));return this.#i.forget(e.filter(({policy:r})=>r!==Eu.policy)),t.reduce((r,i)=>r+wg(i),0)}async#g(){await this.consume({checks:[Eu]}),await this.reset([Eu])}#k(){if(this.#d)throw new g("SLUICE_CLOSED","the store was closed");if(this.#e.status==="end")throw yg()}async#b(e){this.#k();let t=e();this.#o.add(t);try{return await t}catch(r){throw cr(r)}finally{this.#o.delete(t)}}#M(){return this.#a??=Rg(this.#e).then(e=>{e!==void 0&&this.keyspaces[0].identify(Pg(this.#e,this.#t,e))}),this.#a}};var Da=new WeakMap;function Ug(n){let e=Da.get(n)??0;Da.set(n,e+1),e===0&&n.on?.("error",jg);let t=!1;return()=>{let r=Da.get(n)??0;t||(t=!0,Da.set(n,r-1),r===1&&n.off?.("error",jg))}}o(Ug,"tolerateErrors");function jg(){}o(jg,"ignore");function wi(n){let e=n?.code;return typeof e=="string"?e:void 0}o(wi,"codeOf");var XA=["22012","40P01","40001"];function Fg(n){return XA.includes(wi(n))}o(Fg,"isLostRace");var eC={"42P01":o(n=>`the table ${n} does not exist: call createTable() of the store once, or run the SQL in its README`,"42P01"),"3F000":o(n=>`the schema of the table ${n} does not exist: create it`,"3F000"),42501:o(n=>`the database user lacks a permission: GRANT SELECT, INSERT, UPDATE, DELETE ON ${n} TO it (createTable() needs CREATE on the schema)`,"42501"),25006:o(()=>"the database is a replica or read-only: connect to the primary","25006"),42703:o(n=>`the table ${n} does not have the columns that a store needs: use another table`,"42703"),"42P10":o(n=>`the table ${n} has no primary key "key": use another table`,"42P10"),"28P01":o(()=>"PostgreSQL refused the password: set the right one on the client","28P01"),28e3:o(()=>"PostgreSQL refused the user: set another one on the client, or allow it in pg_hba.conf","28000"),"3D000":o(()=>"the database does not exist: create it, or set another one on the client","3D000"),53300:o(()=>"PostgreSQL has no connection left: lower max of the pools, or raise max_connections","53300"),"55P03":o(()=>"another transaction holds a lock on the rows for longer than the timeout: give the store a table of its own","55P03"),26e3:o(()=>"a pooler between client and server loses prepared statements: set prepare: false, or configure the pooler","26000")},tC=/after calling end on the pool|Client was closed|is not queryable/;function Ba(n,e){if(!(n instanceof Error)||n instanceof g)return n;let t=tC.test(n.message)?"the PostgreSQL client was closed, or lost its connection: use a Pool, which connects again, and end it after the store":eC[wi(n)??""]?.(e);return t===void 0?n:new g("SLUICE_STORE",t,{cause:n})}o(Ba,"explained");var nC=1e3,ja=1e3,rC=1e3,Ua=class{static{o(this,"PostgresBackend")}#e;#t;#n=0;#r=!1;constructor(e){this.#e=e,this.#t=[`${e.timeoutMs}ms`,e.isDurable?"on":"off"]}async read(e){let{rows:t}=await this.query(this.#e.statements.read,[e]),r=new Map;for(let{key:i,version:s,value:a,for_ms:l}of t)r.set(i,{version:String(s),value:String(a),forMs:Number(l)});return{atMs:Number(t[0]?.at),entries:e.map(i=>r.get(i))}}async swap(e,t){let r=await this.#i(e,t??null);return this.#a(),r}async delete(e){return(await this.query(this.#e.statements.delete,[e])).rowCount??0}async deleteExpired(e){return(await this.query(this.#e.statements.deleteExpired,[e])).rowCount??0}async query({name:e,text:t},r){let{client:i,table:s,isPrepared:a,timeoutMs:l}=this.#e,d=Math.max(rC,2*l);try{return await i.query({text:t,values:r,query_timeout:d,...a&&{name:e}})}catch(u){throw Ba(u,s)}}async#i(e,t){let[r]=e;try{if(r&&e.length===1)return await this.#s(r,t);let{rows:i}=await this.query(this.#e.statements.swap,[e.map(({key:s})=>s),e.map(({was:s})=>s??null),e.map(({next:s})=>s?.version??null),e.map(({next:s})=>s?.value??null),e.map(({next:s})=>s?.forMs??null),t,...this.#t]);return i[0]?.is_made===!0}catch(i){if(Fg(i))return!1;throw i}}async#s({key:e,was:t,next:r},i){let{add:s,change:a,remove:l}=this.#e.statements;if(!r)return this.#o(l,[e,t,i,...this.#t]);let d=[e,r.version,r.value,r.forMs,i,...this.#t];return t===void 0?this.#o(s,d):this.#o(a,[...d,t])}async#o(e,t){return(await this.query(e,t)).rowCount===1}#a(){let e=K.now();if(this.#r||e<this.#n)return;this.#r=!0;let t=o(r=>{this.#r=!1,this.#n=r<ja?K.now()+nC:0},"rest");this.deleteExpired(ja).then(t,()=>t(0))}};function Wg({totalCount:n,idleCount:e,waitingCount:t=0}){if(!(t===0||e!==0))return`all ${n} connections of the pool are in use or connecting, and ${t} queries wait for one`}o(Wg,"troubleOf");var _g=new WeakMap;function Kg(n,e){let t=_g.get(n)??new Map;_g.set(n,t);let r=t.get(e)??{};return t.set(e,r),new ke(r,{place:`this PostgreSQL client and the table ${e}`,suggestion:"give one of the stores another table"})}o(Kg,"keyspaceOf");var Vg=50,iC=/^(57P0[123]|08...)$/,sC=/^(?=.*\d)[0-9A-Z]{5}$/;async function $g(n,e){let t=K.now()+n;for(;;){try{return await e(Math.max(1,Math.ceil(t-K.now())))}catch(r){if(!oC(r))throw r;if(K.now()+Vg>=t)throw aC(n,r)}await K.sleep(Vg)}}o($g,"untilReachable");function oC(n){if(n instanceof g)return!1;let e=wi(n);return e===void 0||!sC.test(e)||iC.test(e)}o(oC,"isUnreachable");function aC(n,e){let t=e?.message||wi(e);return new g("SLUICE_STORE",`PostgreSQL did not answer within ${n} ms: ${t}`,{cause:e})}o(aC,"unready");var qg=require("node:crypto");var Gg="extract(epoch FROM clock_timestamp()) * 1000",Fa=class{static{o(this,"Statements")}read;add;change;remove;swap;delete;deleteExpired;constructor({table:e}){let t=(0,qg.createHash)("sha256").update(e).digest("hex").slice(0,12),r=o((u,c)=>({name:`sluice_${u}_${t}`,text:c}),"statement"),i=o(u=>`(${u}::float8 IS NULL OR ${Gg} <= ${u}::float8)`,"isInTime"),s=o((u,c)=>`set_config('lock_timeout', ${u}, true) IS NOT NULL AND set_config('synchronous_commit', ${c}, true) IS NOT NULL`,"hasSettings"),a=o(u=>`clock_timestamp() + ${u} * interval '1 millisecond'`,"after"),l=o(u=>a(`1.5 * ${u}`),"newEnd"),d=o(u=>`CASE WHEN e.expires_at BETWEEN ${a(u)} AND ${a(`2 * ${u}`)} THEN e.expires_at ELSE ${l(u)} END`,"endOf");this.read=r("read",`SELECT floor(${Gg})::float8 AS at, e.key, e.version, e.value,
  ceil(extract(epoch FROM e.expires_at - clock_timestamp()) * 1000)::float8 AS for_ms
FROM (VALUES (1)) AS one LEFT JOIN ${e} AS e ON e.key = ANY ($1::text[])`),this.add=r("add",`INSERT INTO ${e} (key, version, value, expires_at)
SELECT $1, $2, $3, ${l("$4::float8")}
WHERE ${s("$6","$7")} AND ${i("$5")}
ON CONFLICT (key) DO NOTHING`),this.change=r("change",`UPDATE ${e} AS e SET version = $2, value = $3, expires_at = ${d("$4::float8")}
WHERE e.key = $1 AND e.version = $8 AND ${s("$6","$7")} AND ${i("$5")}`),this.remove=r("remove",`DELETE FROM ${e} AS e WHERE e.key = $1 AND e.version = $2 AND ${s("$4","$5")} AND ${i("$3")}`),this.swap=r("swap",`WITH wanted AS MATERIALIZED (
  SELECT w.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[]) AS w(key, was, version, value, ms)
  WHERE ${s("$7","$8")}
), held AS MATERIALIZED (
  SELECT e.key FROM ${e} AS e JOIN wanted AS w ON e.key = w.key AND e.version = w.was ORDER BY e.key FOR UPDATE OF e
), agreed AS MATERIALIZED (
  SELECT (SELECT count(*) FROM held) = (SELECT count(*) FROM wanted WHERE was IS NOT NULL) AND ${i("$6")} AS yes
), added AS (
  INSERT INTO ${e} AS e (key, version, value, expires_at)
  SELECT key, version, value, ${l("ms")} FROM wanted, agreed WHERE yes AND was IS NULL ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO NOTHING RETURNING 1
), complete AS MATERIALIZED (
  SELECT yes AND (SELECT count(*) FROM added) = (SELECT count(*) FROM wanted WHERE was IS NULL) AS yes FROM agreed
), changed AS (
  UPDATE ${e} AS e SET version = w.version, value = w.value, expires_at = ${d("w.ms")}
  FROM wanted AS w, complete AS c WHERE c.yes AND e.key = w.key AND e.version = w.was AND w.value IS NOT NULL
), removed AS (
  DELETE FROM ${e} AS e USING wanted AS w, complete AS c
  WHERE c.yes AND e.key = w.key AND e.version = w.was AND w.value IS NULL
)
SELECT CASE WHEN c.yes THEN true WHEN (SELECT count(*) FROM added) = 0 THEN false
  ELSE 1 / (0 * (SELECT count(*) FROM added)) = 1 END AS is_made
FROM complete AS c`),this.delete=r("delete",`DELETE FROM ${e} WHERE key = ANY ($1::text[])`),this.deleteExpired=r("expire",`DELETE FROM ${e} WHERE key IN (
  SELECT key FROM ${e} WHERE expires_at < now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
)`)}};function Hg({table:n,index:e},t){return`SELECT pg_advisory_xact_lock(7741264389);
CREATE ${t?"UNLOGGED ":""}TABLE IF NOT EXISTS ${n} (
  key text COLLATE "C" PRIMARY KEY,
  version text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX IF NOT EXISTS ${e} ON ${n} (expires_at)`}o(Hg,"createTableText");function zg({table:n}){return`SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), current_database(), '${n}'::regclass::oid) AS identity`}o(zg,"identityText");var lC=/^[a-z_][a-z0-9_]{0,49}$/;function Yg(n){let e=typeof n=="string"?n.split("."):[];if(e.length<1||e.length>2||!e.every(t=>lC.test(t)))throw p("table",'must be a table, or a schema and a table ("limits.sluice"), of at most 50 lower-case letters, digits and underscores each',n);return{table:e.map(t=>`"${t}"`).join("."),index:`"${e.at(-1)}_expires_at"`}}o(Yg,"tableNameOf");var dC=["name","client","table","timeout","instances","attempts","durable","prepare","clock"],Zg={policy:"",name:"",key:"",limit:Bt({limit:1,window:"1s"}),cost:1},uC=1e3,cC=4,bi=class{static{o(this,"PostgresStore")}async=!0;name;clock;supports;remote;keyspaces;blocks;#e;#t;#n;#r;#i;constructor(e){E(e,dC);let{name:t="postgres",client:r,table:i="sluice",timeout:s=100,instances:a=1,attempts:l=50}=e,{durable:d=!1,prepare:u=!0,clock:c}=e;this.name=J(t,"name"),this.#e=fC(r),this.#t=Yg(i);let f=lt(s,"timeout",lr);this.#n=new Ua({client:r,table:i,statements:new Fa(this.#t),timeoutMs:f,isDurable:j(d,"durable",[!0,!1]),isPrepared:j(u,"prepare",[!0,!1])});let m=o(()=>Wg(r),"trouble");this.keyspaces=[Kg(r,i)],this.remote={timeoutMs:f,instances:v(a,"instances",1),trouble:m},this.#r=Mu(this.#n,{timeout:s,instances:a,attempts:l,parallel:cC,trouble:m,keyspace:this.keyspaces[0],...c&&{clock:c}}),this.clock=this.#r.clock,this.supports=this.#r.supports,this.blocks=this.#r.blocks,this.#i=Ug(r)}async createTable(e={}){E(e,["unlogged"]);let t=j(e.unlogged??!1,"unlogged",[!0,!1]);try{await this.#e.query({text:Hg(this.#t,t)})}catch(r){throw Ba(r,this.#t.table)}await this.#s()}async ready(e={}){E(e,["timeout"]);let t=lt(e.timeout??5e3,"timeout",lr);await $g(t,async r=>{await this.#r.consume({checks:[Zg],timeoutMs:r}),await this.#r.reset([Zg])}),await this.#s()}async#s(){let e={text:zg(this.#t),query_timeout:uC},t=await this.#e.query(e).then(({rows:r})=>r[0]?.identity,()=>{});t!==void 0&&this.keyspaces[0].identify(`postgres ${t}`)}deleteExpired(e=ja){return this.#n.deleteExpired(v(e,"most",1))}consume(e){return this.#r.consume(e)}adjust(e){return this.#r.adjust(e)}reset(e){return this.#r.reset(e)}async close(){await this.#r.close(),this.#i()}};function fC(n){if(typeof n?.query=="function")return n;throw p("client","must be a client of node-postgres: new Pool({ connectionString })",n)}o(fC,"checkClient");0&&(module.exports={LeasedStore,ManualClock,PostgresStore,RedisStore,SyncedStore,concurrency,createLimiter,fixedWindow,leakyBucket,slidingWindow,slidingWindowCounter,slidingWindowLog,tokenBucket});
