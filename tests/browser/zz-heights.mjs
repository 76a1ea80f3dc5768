import { startLab } from "./harness.mjs";
const lab = await startLab();
const rows=[];
for (const w of [320,359,360,459,460,585,586,609,610,671,672,681,682,719,720,790,825,826,911,912,931,932,960,1280]) {
  lab.server.files["/h.css"]=`body{margin:0} div{inline-size:${w}px}`;
  lab.server.files["/h.html"]=`<!doctype html><meta charset=utf-8><link rel=stylesheet href=h.css><div><queue-lab></queue-lab></div><script type=module src=embed.js></script>`;
  const {page}=await lab.open("/h.html",{width:1400,height:1400});
  rows.push(await page.evaluate(()=>{const b=document.querySelector("queue-lab").shadowRoot.querySelector(".box");return [b.getBoundingClientRect().width, b.querySelector(".ql").getBoundingClientRect().height/16, getComputedStyle(b).minBlockSize]}));
  await lab.closePages();
}
for (const r of rows) console.log(r.join("  "));
await lab.close();
