// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev.author;

import dev.coxswain.ctl.cli.Resources;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder that Maven takes for a repository, with the artifacts of this copy of Coxswain: for projects
 * outside of the source tree while no version is published. Each jar of the class path has its own
 * {@code pom.xml}; those of parent and BOM are in the jar of this class.
 *
 * <p>Thread rule: any thread; blocks, also while another process writes it.
 */
public final class MavenRepository {

  private static final Pattern POM =
      Pattern.compile("META-INF/maven/dev\\.coxswain/([^/]+)/pom\\.xml");
  private static final Pattern VERSION =
      Pattern.compile("<artifactId>coxswain-parent</artifactId>\\s*<version>([^<]+)</version>");
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd.HHmmss").withZone(ZoneOffset.UTC);
  private static final String SNAPSHOT = "-SNAPSHOT";

  private final Path group;
  private final String version;

  private MavenRepository(Path folder, String version) {
    this.group = folder.resolve("dev/coxswain");
    this.version = version;
  }

  /**
   * Returns the repository of this copy, beside its jars or, where that is read-only, in the home of the
   * user. It is written unless it has these jars already.
   *
   * @throws IOException when it cannot be written
   */
  public static Path ofThisCopy() throws IOException {
    Path folder = place();
    Files.createDirectories(folder);
    try (FileChannel file =
            FileChannel.open(
                folder.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = file.lock()) {
      List<Path> jars = jars();
      StringBuilder contents = new StringBuilder();
      for (Path jar : jars) {
        contents
            .append(jar)
            .append(' ')
            .append(Files.size(jar))
            .append(' ')
            .append(Files.getLastModifiedTime(jar))
            .append('\n');
      }
      Path written = folder.resolve(".contents");
      if (!Files.exists(written) || !Files.readString(written).contentEquals(contents)) {
        Files.deleteIfExists(written);
        write(folder, jars);
        Files.writeString(written, contents);
      }
    }
    return folder;
  }

  private static Path place() {
    try {
      Path jar =
          Path.of(
              MavenRepository.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path beside = jar.resolveSibling("../repository").normalize();
      return Files.isWritable(beside.getParent())
          ? beside
          : Path.of(System.getProperty("user.home"), ".coxswain", "repository");
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the address of a class path entry is always one", e);
    }
  }

  private static List<Path> jars() {
    return Arrays.stream(System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
        .map(Path::of)
        .filter(jar -> String.valueOf(jar.getFileName()).startsWith("coxswain-"))
        .filter(Files::isRegularFile)
        .toList();
  }

  private static void write(Path folder, List<Path> jars) throws IOException {
    String parent = Resources.text(MavenRepository.class, "parent/pom.xml");
    MavenRepository repository = new MavenRepository(folder, version(parent));
    repository.clear();
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    repository.add("coxswain-bom", Resources.text(MavenRepository.class, "bom/pom.xml"), null, now);
    repository.add("coxswain-parent", parent, null, now);
    for (Path jar : jars) {
      repository.add(jar);
    }
    repository.addCatalog(folder);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(MavenRepository::isDownloaded).toList()) {
        Files.writeString(file.resolveSibling(file.getFileName() + ".sha1"), sha1(file));
      }
    }
  }

  /** Adds what Maven reads to find an archetype by its name. */
  private void addCatalog(Path folder) throws IOException {
    Files.writeString(
        folder.resolve("archetype-catalog.xml"),
        """
        <archetype-catalog>
          <archetypes>
            <archetype>
              <groupId>dev.coxswain</groupId>
              <artifactId>coxswain-archetype</artifactId>
              <version>%s</version>
              <description>A Kubernetes controller that runs in Coxswain</description>
            </archetype>
          </archetypes>
        </archetype-catalog>
        """
            .formatted(version));
  }

  private static boolean isDownloaded(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".xml") || name.endsWith(".pom") || name.endsWith(".jar");
  }

  /** Without it Maven warns of each file. */
  private static String sha1(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java runtime has SHA-1", e);
    }
  }

  /** Deletes the artifacts of former jars: each has a time in its name. */
  private void clear() throws IOException {
    if (Files.exists(group)) {
      try (Stream<Path> files = Files.walk(group)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static String version(String parent) {
    Matcher version = VERSION.matcher(parent);
    if (!version.find()) {
      throw new IllegalStateException("the parent has no version");
    }
    return version.group(1);
  }

  private void add(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : file.stream().toList()) {
        Matcher pom = POM.matcher(entry.getName());
        if (pom.matches()) {
          try (InputStream in = file.getInputStream(entry)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            add(pom.group(1), text, jar, Files.getLastModifiedTime(jar).toInstant());
          }
          return;
        }
      }
    }
    throw new IOException(jar + " does not contain its pom.xml");
  }

  /** Adds an artifact; of a snapshot with a time, by which Maven sees that it is another one. */
  private void add(String artifact, String pom, @Nullable Path jar, Instant time)
      throws IOException {
    Path folder = group.resolve(artifact).resolve(version);
    Files.createDirectories(folder);
    boolean snapshot = version.endsWith(SNAPSHOT);
    String stamp = STAMP.format(time);
    String value = snapshot ? version.replace(SNAPSHOT, "-" + stamp + "-1") : version;
    Files.writeString(folder.resolve(artifact + "-" + value + ".pom"), pom);
    if (jar != null) {
      Files.copy(
          jar,
          folder.resolve(artifact + "-" + value + ".jar"),
          StandardCopyOption.REPLACE_EXISTING);
    }
    if (snapshot) {
      Files.writeString(
          folder.resolve("maven-metadata.xml"), metadata(artifact, stamp, value, jar != null));
    }
  }

  private String metadata(String artifact, String stamp, String value, boolean hasJar) {
    String updated = stamp.replace(".", "");
    String line =
        "      <snapshotVersion><extension>%s</extension><value>%s</value><updated>%s</updated></snapshotVersion>\n";
    return """
    <metadata modelVersion="1.1.0">
      <groupId>dev.coxswain</groupId>
      <artifactId>%s</artifactId>
      <version>%s</version>
      <versioning>
        <snapshot><timestamp>%s</timestamp><buildNumber>1</buildNumber></snapshot>
        <lastUpdated>%s</lastUpdated>
        <snapshotVersions>
    %s%s    </snapshotVersions>
      </versioning>
    </metadata>
    """
        .formatted(
            artifact,
            version,
            stamp,
            updated,
            line.formatted("pom", value, updated),
            hasJar ? line.formatted("jar", value, updated) : "");
  }
}
