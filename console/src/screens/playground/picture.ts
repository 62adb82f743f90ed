// The picture that a user sends: drawn here, and uploaded once for each app.
import type { Action } from "../../core/action.svelte";
import { askAs } from "../../core/request";

const uploaded = new Map<string, string>();

export function isDrawn(): boolean {
  return typeof HTMLCanvasElement.prototype.toBlob === "function";
}

/** Returns the id of the picture, or nothing if it could not be uploaded. */
export async function picture(app: string, action: Action): Promise<string | undefined> {
  const known = uploaded.get(app);
  if (known) return known;
  const bytes = await drawn();
  if (!bytes) return undefined;
  const media = await action.run(askAs(app, "media.upload", new File([bytes], "parcel.png", { type: "image/png" })));
  if (media) uploaded.set(app, media.id);
  return media?.id;
}

/** A parcel. */
function drawn(): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [320, 240];
  const pen = canvas.getContext("2d");
  const fill = (colour: string, x: number, y: number, width: number, height: number) => {
    if (!pen) return;
    pen.fillStyle = colour;
    pen.fillRect(x, y, width, height);
  };
  fill("#dfe7ee", 0, 0, 320, 240);
  fill("#b8c4cf", 0, 190, 320, 50);
  fill("#c48a4e", 80, 70, 160, 130);
  fill("#a86f38", 80, 70, 160, 26);
  fill("#e9d3b4", 146, 70, 28, 130);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
