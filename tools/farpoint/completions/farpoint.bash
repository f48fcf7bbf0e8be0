# Completion of farpoint for bash; written by "farpoint completion bash".
_farpoint() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
  if [ "$COMP_CWORD" = 1 ]; then
    words='info fps voxelize knn normals convert clean crop merge sample splat bench demo completion --help --version'
  else
    case ${COMP_WORDS[1]} in
      info)
        words='-h --help --format --verbose --json --stats --backend --threads'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --backend) words='auto host cuda' ;;
        esac
        ;;
      fps)
        words='-h --help --format --verbose --json --backend --threads --repeat --cpu --check -o --output --to --ascii --visualize --page-points -n --samples --first --random-first --origin-skip --stop-below'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --backend) words='auto host cuda' ;;
          --to) words='ply pcd npy csv bin las laz' ;;
        esac
        ;;
      voxelize)
        words='-h --help --format --verbose --json --backend --threads --repeat --cpu --check -o --output --to --ascii --visualize --page-points --voxel-size --range --cells --max-voxels --max-points --order --random-points --reduce'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --backend) words='auto host cuda' ;;
          --to) words='ply pcd npy csv bin las laz' ;;
          --order) words='first grid' ;;
          --reduce) words='mean max first' ;;
        esac
        ;;
      knn)
        words='-h --help --format --verbose --json --backend --threads --repeat --cpu --check -o --output --to --ascii --visualize --page-points -k --max-radius --with-self --indices'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --backend) words='auto host cuda' ;;
          --to) words='ply pcd npy csv bin las laz' ;;
        esac
        ;;
      normals)
        words='-h --help --format --verbose --json --backend --threads --repeat --cpu --check -o --output --to --ascii --visualize --page-points -k --max-radius --viewpoint'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --backend) words='auto host cuda' ;;
          --to) words='ply pcd npy csv bin las laz' ;;
        esac
        ;;
      convert)
        words='-h --help --format --verbose --json -o --output --to --ascii --visualize --page-points'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --to) words='ply pcd npy csv bin las laz' ;;
        esac
        ;;
      clean)
        words='-h --help --format --verbose --json --backend --threads -o --output --to --ascii --visualize --page-points -k --deviations --radius --min-points'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --backend) words='auto host cuda' ;;
          --to) words='ply pcd npy csv bin las laz' ;;
        esac
        ;;
      crop)
        words='-h --help --format --verbose --json -o --output --to --ascii --visualize --page-points --range --ball --outside'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --to) words='ply pcd npy csv bin las laz' ;;
        esac
        ;;
      merge)
        words='-h --help --format --verbose --json -o --output --to --ascii --visualize --page-points'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --to) words='ply pcd npy csv bin las laz' ;;
        esac
        ;;
      sample)
        words='-h --help --format --verbose --json --backend --threads -o --output --to --ascii --visualize --page-points -n --samples --seed --voxel-size'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --backend) words='auto host cuda' ;;
          --to) words='ply pcd npy csv bin las laz' ;;
        esac
        ;;
      splat)
        words='-h --help --format --street --points --noise --up --azimuth --elevation --views --size -k --rounds --backend --threads -o --output --visualize --check'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --up) words='x y z -x -y -z' ;;
          --backend) words='auto host cuda' ;;
        esac
        ;;
      bench)
        words='-h --help --format --verbose --json --backend --threads --repeat --cpu'
        case $before in
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
          --backend) words='auto host cuda' ;;
        esac
        ;;
      demo)
        words='-h --help -n --samples --first --backend --threads --format --seed -o --output --indices --voxel-size --max-voxels --max-points --voxel-picture --check'
        case $before in
          --backend) words='auto host cuda' ;;
          --format) words='kitti nuscenes xyz ply pcd obj npy las text' ;;
        esac
        ;;
      completion)
        words='-h --help bash zsh fish'
        ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [ "${#COMPREPLY[@]}" = 0 ]; then compopt -o default; fi
}
complete -F _farpoint farpoint
