// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import dev.coxswain.ctl.internal.cli.Resources;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder that Maven takes for a repository, with the artifacts of this copy of Coxswain: for projects
 * outside of the source tree while no version is published. Each jar of the class path, and of the folder of
 * the jar of this class, has its own {@code pom.xml}; those of parent and BOM are in the jar of this class.
 * Sources come from the source tree; Javadoc takes time to make, and is there after {@code new} has made it.
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
  private static final List<String> SUFFIXES =
      List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json");

  /** The artifact of which a build of the distribution has the bill of materials. */
  private static final String HOST = "coxswain-host";

  private final Path group;
  private final String version;
  private final SourceFiles sources;
  private final JavadocFiles javadoc;

  private MavenRepository(Path folder) throws IOException {
    this.group = folder.resolve("dev/coxswain");
    this.version = version(Resources.text(MavenRepository.class, "parent/pom.xml"));
    this.sources = SourceFiles.find();
    this.javadoc = new JavadocFiles(sources, folder.resolveSibling("javadoc"));
  }

  /**
   * Returns the repository of this copy, beside its jars or, where that is read-only, in the home of the
   * user. It is written unless it has these jars already.
   *
   * @throws IOException when it cannot be written
   */
  public static Path ofThisCopy() throws IOException {
    return ofThisCopy(null);
  }

  /**
   * Adds the Javadoc of all artifacts to it, which takes seconds for each of them once after a build that has
   * changed it. May be interrupted: what is missing is made the next time.
   *
   * @param progress receives a line when that begins, and when it fails
   */
  static void addJavadoc(Consumer<String> progress) throws IOException {
    ofThisCopy(progress);
  }

  private static Path ofThisCopy(@Nullable Consumer<String> javadocProgress) throws IOException {
    Path folder = place();
    Files.createDirectories(folder);
    try (FileChannel file =
            FileChannel.open(
                folder.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = file.lock()) {
      List<Path> jars = jars();
      List<Path> from = new ArrayList<>(jars);
      bill().ifPresent(from::add);
      StringBuilder contents = new StringBuilder();
      for (Path one : from) {
        contents
            .append(one)
            .append(' ')
            .append(Files.size(one))
            .append(' ')
            .append(Files.getLastModifiedTime(one))
            .append('\n');
      }
      Path written = folder.resolve(".contents");
      if (!Files.exists(written) || !Files.readString(written).contentEquals(contents)) {
        Files.deleteIfExists(written);
        new MavenRepository(folder).write(folder, jars);
        Files.writeString(written, contents);
      }
      if (javadocProgress != null) {
        new MavenRepository(folder).addJavadoc(jars, javadocProgress);
      }
    }
    return folder;
  }

  private static Path place() {
    Path beside = ownJar().resolveSibling("../repository").normalize();
    return Files.isWritable(beside.getParent())
        ? beside
        : Path.of(System.getProperty("user.home"), ".coxswain", "repository");
  }

  private static Path ownJar() {
    try {
      return Path.of(
          MavenRepository.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the address of a class path entry is always one", e);
    }
  }

  /** Returns the bill of materials, which only builds of a distribution make. */
  private static Optional<Path> bill() {
    return Optional.of(ownJar().resolveSibling("../sbom.json").normalize())
        .filter(Files::isRegularFile);
  }

  /** Returns the jars of the class path, then those that are only beside them, such as for tests. */
  private static List<Path> jars() throws IOException {
    Set<Path> jars = new LinkedHashSet<>();
    for (String entry : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
      jars.add(Path.of(entry).toAbsolutePath().normalize());
    }
    try (Stream<Path> beside = Files.list(ownJar().resolveSibling("."))) {
      beside.map(Path::normalize).sorted().forEach(jars::add);
    }
    return jars.stream()
        .filter(jar -> String.valueOf(jar.getFileName()).matches("coxswain-.*\\.jar"))
        .filter(Files::isRegularFile)
        .toList();
  }

  private void write(Path folder, List<Path> jars) throws IOException {
    clear();
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    add("coxswain-bom", Resources.text(MavenRepository.class, "bom/pom.xml"), null, now);
    add("coxswain-parent", Resources.text(MavenRepository.class, "parent/pom.xml"), null, now);
    for (Path jar : jars) {
      Artifact artifact = Artifact.of(jar);
      add(artifact.name(), artifact.pom(), jar, Files.getLastModifiedTime(jar).toInstant());
    }
    addCatalog(folder);
    addSums(folder);
  }

  /** Makes what is missing, so that nothing is said when all is there. */
  private void addJavadoc(List<Path> jars, Consumer<String> progress) throws IOException {
    boolean first = true;
    for (Path jar : jars) {
      Artifact artifact = Artifact.of(jar);
      Snapshot snapshot = snapshot(Files.getLastModifiedTime(jar).toInstant());
      Path folder = group.resolve(artifact.name()).resolve(version);
      Path file = folder.resolve(artifact.name() + "-" + snapshot.value() + "-javadoc.jar");
      Path from = folder.resolve(artifact.name() + "-" + snapshot.value() + "-sources.jar");
      if (Files.exists(file) || !Files.exists(from)) {
        continue;
      }
      if (first) {
        progress.accept(
            "making the Javadoc of the artifacts for IDEs, once for this build; Ctrl-C or --no-javadoc leaves it out");
        first = false;
      }
      try {
        Files.copy(javadoc.make(artifact.name(), sha1(from)), file);
      } catch (IOException e) {
        progress.accept("no Javadoc of " + artifact.name() + ": " + e.getMessage());
        continue;
      }
      writeMetadata(artifact.name(), snapshot);
      addSums(folder);
    }
  }

  private static void addSums(Path folder) throws IOException {
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
    return name.matches(".*\\.(xml|pom|jar|json)");
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

  /** The name and the {@code pom.xml} in a jar. */
  private record Artifact(String name, String pom) {
    static Artifact of(Path jar) throws IOException {
      try (JarFile file = new JarFile(jar.toFile())) {
        for (JarEntry entry : file.stream().toList()) {
          Matcher pom = POM.matcher(entry.getName());
          if (pom.matches()) {
            try (InputStream in = file.getInputStream(entry)) {
              String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
              return new Artifact(pom.group(1), text);
            }
          }
        }
      }
      throw new IOException(jar + " does not contain its pom.xml");
    }
  }

  /** A time in the names of files, by which Maven sees that a snapshot is another one. */
  private record Snapshot(String stamp, String value) {}

  private Snapshot snapshot(Instant time) {
    String stamp = STAMP.format(time);
    return new Snapshot(
        stamp,
        version.endsWith(SNAPSHOT) ? version.replace(SNAPSHOT, "-" + stamp + "-1") : version);
  }

  /** Adds an artifact with its sources, and its Javadoc if it was made from these sources before. */
  private void add(String artifact, String pom, @Nullable Path jar, Instant time)
      throws IOException {
    Path folder = Files.createDirectories(group.resolve(artifact).resolve(version));
    Snapshot snapshot = snapshot(time);
    String name = artifact + "-" + snapshot.value();
    Files.writeString(folder.resolve(name + ".pom"), pom);
    if (jar != null) {
      Files.copy(jar, folder.resolve(name + ".jar"), StandardCopyOption.REPLACE_EXISTING);
      if (artifact.equals(HOST) && bill().isPresent()) {
        Files.copy(bill().get(), folder.resolve(name + "-cyclonedx.json"));
      }
      Path from = folder.resolve(name + "-sources.jar");
      if (sources.write(artifact, from)) {
        Optional<Path> made = javadoc.kept(artifact, sha1(from));
        if (made.isPresent()) {
          Files.copy(made.get(), folder.resolve(name + "-javadoc.jar"));
        }
      }
    }
    writeMetadata(artifact, snapshot);
  }

  private void writeMetadata(String artifact, Snapshot snapshot) throws IOException {
    if (!version.endsWith(SNAPSHOT)) {
      return;
    }
    Path folder = group.resolve(artifact).resolve(version);
    String updated = snapshot.stamp().replace(".", "");
    String prefix = artifact + "-" + snapshot.value();
    StringBuilder files = new StringBuilder();
    for (String suffix : SUFFIXES) {
      if (Files.exists(folder.resolve(prefix + suffix))) {
        String[] parts = suffix.split("\\.", -1);
        String classifier = parts[0].isEmpty() ? "" : parts[0].substring(1);
        files.append(
            "      <snapshotVersion>%s<extension>%s</extension><value>%s</value><updated>%s</updated></snapshotVersion>\n"
                .formatted(
                    classifier.isEmpty() ? "" : "<classifier>" + classifier + "</classifier>",
                    parts[1],
                    snapshot.value(),
                    updated));
      }
    }
    Files.writeString(
        folder.resolve("maven-metadata.xml"),
        """
        <metadata modelVersion="1.1.0">
          <groupId>dev.coxswain</groupId>
          <artifactId>%s</artifactId>
          <version>%s</version>
          <versioning>
            <snapshot><timestamp>%s</timestamp><buildNumber>1</buildNumber></snapshot>
            <lastUpdated>%s</lastUpdated>
            <snapshotVersions>
        %s    </snapshotVersions>
          </versioning>
        </metadata>
        """
            .formatted(artifact, version, snapshot.stamp(), updated, files));
  }
}
