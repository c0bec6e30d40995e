// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.Version;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@code coxswain dist}: the files that people install. */
public final class DistCommand implements AddedCommand {

  private static final Flag JSON = Flag.alone("--json", "");
  private static final Flag NO_CACHE = Flag.alone("--no-start-cache", "");
  private static final Flag DOWNLOAD_URL = Flag.of("--download-url", "URL", "");
  private static final long MIB = 1024 * 1024;

  /** Creates the command; called by the service loader. */
  public DistCommand() {}

  @Override
  public String name() {
    return "dist";
  }

  @Override
  public int run(List<String> arguments) throws HostException {
    Arguments parsed =
        Arguments.parse(arguments, List.of(JSON, NO_CACHE, DOWNLOAD_URL, StallLimit.FLAG))
            .noWords("coxswain dist --help");
    String url = parsed.value(DOWNLOAD_URL, "");
    @Nullable URI downloads = url.isEmpty() ? null : KrewManifest.folder(DOWNLOAD_URL.name(), url);
    SourceTree tree = SourceTree.findClone("dist", StallLimit.of(parsed));
    Map<String, String> made;
    try (Closeable _ = tree.lock()) {
      made = make(tree, Version.text(), !parsed.on(NO_CACHE), downloads);
    } catch (IOException e) {
      throw new HostException("the distribution cannot be written: " + e, e);
    }
    print(made, parsed.on(JSON));
    return CommandLine.OK;
  }

  /** Makes everything and returns the paths, by what they are, and the version. */
  private static Map<String, String> make(
      SourceTree tree, String version, boolean startCache, @Nullable URI downloads)
      throws IOException, HostException {
    String base = "coxswain-" + version;
    DistOutput output = DistOutput.begin(tree.target());
    Map<String, String> made = new TreeMap<>();
    Sbom sbom = Sbom.read(tree);
    List<TarEntry> archive = ArchiveFiles.of(tree, sbom, base);
    add(
        made,
        "archive",
        output.write(base + ".tar.gz", out -> TarWriter.compress(out, archive, tree.time())));
    if (System.getProperty("os.name", "").equals("Linux")) {
      ImageFiles files = ImageFiles.make(tree, sbom, startCache);
      ImageWriter image =
          new ImageWriter(ImageFiles.REPOSITORY, version, tree.time(), files.layers(sbom));
      ObjectNode settings = files.settings(version);
      add(made, "image", output.write(base + "-image.tar", out -> image.write(out, settings)));
    } else {
      System.err.println(
          "coxswain: no image, because it needs the Java and the C library of Linux");
    }
    List<TarEntry> chart = ChartFiles.of(tree, version);
    add(
        made,
        "chart",
        output.write(base + "-chart.tgz", out -> TarWriter.compress(out, chart, tree.time())));
    CtlArchive ctl = CtlArchive.ofThisPlatform(version);
    List<TarEntry> entries = ctl.entries(tree, sbom);
    Path program = output.write(ctl.file(), out -> TarWriter.compress(out, entries, tree.time()));
    add(made, "ctl", program);
    if (downloads != null) {
      String manifest = new KrewManifest(ctl, output.checksum(program), downloads).toYaml();
      add(
          made,
          "krew",
          output.write(
              KrewManifest.FILE, out -> out.write(manifest.getBytes(StandardCharsets.UTF_8))));
    } else {
      Files.deleteIfExists(tree.target().resolve(KrewManifest.FILE)); // of another archive
    }
    byte[] document = sbom.toJson();
    add(made, "sbom", output.write(base + "-sbom.json", out -> out.write(document)));
    output.finish();
    made.put("version", version);
    return made;
  }

  private static void add(Map<String, String> made, String what, Path file) throws IOException {
    made.put(what, file.toString());
    System.err.println(
        "coxswain: %s %s, %.1f MiB"
            .formatted(what, file.getFileName(), (double) Files.size(file) / MIB));
  }

  private static void print(Map<String, String> made, boolean json) {
    if (json) {
      try {
        System.out.println(new ObjectMapper().writeValueAsString(made));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("a map of texts is always writable", e);
      }
      return;
    }
    made.forEach((what, where) -> System.out.printf("%-8s %s%n", what, where));
  }
}
