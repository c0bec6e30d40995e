// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.Version;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.dev.dist.DistOutput;
import dev.coxswain.host.internal.dev.dist.ImageFiles;
import dev.coxswain.host.internal.dev.dist.ImageLayer;
import dev.coxswain.host.internal.dev.dist.ImageWriter;
import dev.coxswain.host.internal.dev.dist.Sbom;
import dev.coxswain.host.internal.dev.dist.SourceTree;
import dev.coxswain.host.internal.dev.dist.TarEntry;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** {@code coxswain image}: the runtime's image with an author's controllers as one more layer. */
public final class ImageCommand implements AddedCommand {

  private static final Flag JSON = Flag.alone("--json", "");
  private static final Flag NO_CACHE = Flag.alone("--no-start-cache", "");
  private static final String FOLDER = "app/controllers";
  private static final String LABEL = "org.opencontainers.image.";
  private static final double MIB = 1024 * 1024;

  /** Creates the command; called by the service loader. */
  public ImageCommand() {}

  @Override
  public String name() {
    return "image";
  }

  @Override
  public int run(List<String> arguments) throws HostException {
    List<Flag> flags = new ArrayList<>(ProjectJars.FLAGS);
    flags.addAll(List.of(JSON, NO_CACHE, StallLimit.FLAG));
    Arguments parsed = Arguments.parse(arguments, flags).noWords("coxswain image --help");
    SourceTree tree = SourceTree.find(name(), StallLimit.of(parsed));
    ProjectJars project = ProjectJars.of(parsed);
    Path image;
    try (Closeable _ = tree.lock()) {
      project.requireNoneOf(tree);
      image = write(tree, project, project.output(parsed), !parsed.on(NO_CACHE));
      System.err.printf(
          "coxswain: image %s, %.1f MiB%n", image.getFileName(), Files.size(image) / MIB);
      String reference = project.name() + ":" + project.version();
      System.out.println(
          parsed.on(JSON)
              ? new ObjectMapper()
                  .createObjectNode()
                  .put("image", image.toString())
                  .put("reference", reference)
              : "%s%nis %s: docker load -i, podman load -i, or ctr -n k8s.io images import"
                  .formatted(image, reference));
    } catch (IOException e) {
      throw new HostException("the image cannot be written: " + e, e);
    }
    return CommandLine.OK;
  }

  private static Path write(SourceTree tree, ProjectJars project, Path folder, boolean startCache)
      throws IOException, HostException {
    Sbom sbom = Sbom.read(tree);
    ImageFiles runtime = ImageFiles.make(tree, sbom, startCache);
    List<ImageLayer> layers = new ArrayList<>(runtime.layers(sbom));
    List<TarEntry> entries = new ArrayList<>(List.of(TarEntry.folder("app")));
    entries.add(TarEntry.folder(FOLDER));
    for (Path jar : project.jars()) {
      entries.add(TarEntry.file(FOLDER + "/" + jar.getFileName(), jar));
    }
    DistOutput output = DistOutput.in(folder);
    // Kept in the clone, as the other layers are.
    Path kept = tree.image().resolve("projects");
    layers.add(ImageLayer.write(kept, project.shortName(), entries));
    Instant time = SourceTree.timeWithoutCommit();
    ImageWriter image = new ImageWriter(project.name(), project.version(), time, layers);
    ObjectNode settings = runtime.settings(Version.text());
    ObjectNode labels = settings.withObject("/Labels");
    labels.put("dev.coxswain.version", Version.text());
    labels.put(LABEL + "created", time.toString());
    labels.put(LABEL + "description", "Kubernetes controllers, run by Coxswain");
    labels.put(LABEL + "title", project.shortName());
    labels.put(LABEL + "version", project.version());
    // Those of Coxswain are not those of the controllers.
    labels.remove(List.of(LABEL + "licenses", LABEL + "revision"));
    return output.write(
        "%s-%s-image.tar".formatted(project.shortName(), project.version()),
        out -> image.write(out, settings));
  }
}
